import { METHODS } from "../messages/message.ts";
import { KEPT_STATE, type HostContext } from "../model/context.ts";
import type { MountedView, MountViewOptions, ShownView } from "./options.ts";
import { ViewFrame } from "./view-frame.ts";

/**
 * Shows a view in the page of a host: in two frames, the outer one of another origin, the inner one of none. The view can show itself,
 * and ask for what `approve` allows.
 *
 * @example
 * ```ts
 * const views = client.use(viewsOfServer());
 * const view = await views.read(tool);
 * const shown = mountView({ container, sandbox: "https://sandbox.example.com/", view, tool, server: views, approve: askUser });
 * shown.sendInput(args);
 * shown.sendResult(await client.callTool(tool.name, args));
 * ```
 */
export function mountView(options: MountViewOptions): MountedView {
  return new HostedView(options);
}

/** A view that is shown, whichever frame it is in. It remembers what a view was sent, for one that takes its place. */
class HostedView implements MountedView {
  readonly ready: Promise<void>;
  readonly closed: Promise<string | undefined>;
  readonly #options: MountViewOptions;
  #begun!: () => void;
  #beginFailed!: (error: Error) => void;
  #ended!: (reason: string | undefined) => void;
  #frame: ViewFrame;
  #context: HostContext;
  #input: object | undefined;
  #partialInput: object | undefined;
  /** How the call has ended: the method and parameters that say it. */
  #outcome: readonly [method: string, params: object] | undefined;

  constructor(options: MountViewOptions) {
    const { container, context = {}, limits, tool } = options;
    this.#options = options;
    const { clientWidth } = container;
    this.#context = {
      displayMode: "inline",
      containerDimensions: { ...(clientWidth > 0 && { width: clientWidth }), maxHeight: limits?.maxHeight ?? 800 },
      platform: "web",
      ...(tool && { toolInfo: { tool } }),
      ...context,
    };
    this.ready = new Promise((resolve, reject) => {
      this.#begun = resolve;
      this.#beginFailed = reject;
    });
    this.closed = new Promise((resolve) => (this.#ended = resolve));
    // Nobody has to listen.
    this.ready.catch(() => undefined);
    this.#frame = this.#open(options.view);
  }

  get frame(): HTMLIFrameElement {
    return this.#frame.element;
  }

  sendInput(args: object): void {
    if (this.#input !== undefined) throw new TypeError("The arguments of a call are sent once.");
    // A copy: the view may begin later, when the object has changed.
    this.#input = structuredClone(args);
    this.#notify(METHODS.toolInput, { arguments: this.#input });
  }

  sendPartialInput(args: object): void {
    if (this.#input !== undefined) throw new TypeError("The arguments of the call were sent already.");
    this.#partialInput = structuredClone(args);
    this.#notify(METHODS.partialToolInput, { arguments: this.#partialInput });
  }

  sendResult(result: object): void {
    if (this.#input === undefined) throw new TypeError("The arguments of a call come before its result: `sendInput`.");
    this.#outcome = [METHODS.toolResult, structuredClone(result)];
    this.#notify(...this.#outcome);
  }

  sendCancelled(reason?: string): void {
    this.#outcome = [METHODS.toolCancelled, reason === undefined ? {} : { reason }];
    this.#notify(...this.#outcome);
  }

  setContext(change: HostContext): void {
    const { displayMode } = change;
    if (displayMode !== undefined && !this.#frame.supports(displayMode)) {
      throw new TypeError(`The view cannot be shown ${displayMode}: it does not say that it supports that.`);
    }
    this.#context = { ...this.#context, ...structuredClone(change) };
    this.#notify(METHODS.contextChanged, change);
  }

  async replace(view: ShownView): Promise<void> {
    const kept = await this.#frame.end("The view is replaced.");
    this.#context = { ...this.#context, [KEPT_STATE]: kept };
    this.#frame = this.#open(view);
  }

  async close(reason = "The view is closed."): Promise<void> {
    await this.#frame.end(reason);
    this.#ended(undefined);
  }

  #open(view: ShownView): ViewFrame {
    return new ViewFrame(this.#options, view, {
      began: () => this.#begin(),
      failed: (reason) => {
        this.#beginFailed(new Error(reason));
        this.#ended(reason);
      },
      context: () => this.#context,
      changedMode: (displayMode) => (this.#context = { ...this.#context, displayMode }),
    });
  }

  /** Sends what has happened before the view could hear it. */
  #begin(): void {
    if (this.#input !== undefined) this.#notify(METHODS.toolInput, { arguments: this.#input });
    else if (this.#partialInput !== undefined) {
      this.#notify(METHODS.partialToolInput, { arguments: this.#partialInput });
    }
    if (this.#outcome !== undefined) this.#notify(...this.#outcome);
    this.#begun();
  }

  /** Sends a notification, unless the view has not begun: then it gets everything when it does ("Sandbox proxy", 6). */
  #notify(method: string, params: object): void {
    if (this.#frame.hasBegun) this.#frame.peer.notify(method, params);
  }
}
