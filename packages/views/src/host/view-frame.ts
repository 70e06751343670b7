import { isContentSource, VIEWS_REVISION, type ViewPermissions } from "@toolwire/protocol/views";
import { findExcess } from "../messages/find-excess.ts";
import { CODES, isRecord, METHODS, ViewError } from "../messages/message.ts";
import { Peer } from "../messages/peer.ts";
import { createRateLimit } from "../messages/rate-limit.ts";
import { KEPT_STATE, type DisplayMode, type HostCapabilities, type HostContext } from "../model/context.ts";
import { contentPolicy } from "../policy/content-policy.ts";
import { allowAttribute } from "../policy/permissions.ts";
import type { MountViewOptions, ShownView } from "./options.ts";
import { answerView, hearLog, type Params } from "./view-requests.ts";

/** What a frame tells whoever has made it. */
export interface FrameListener {
  /** The view has begun: from now on, it may be sent messages. */
  began(): void;
  /** The view is gone, through a fault of its own. */
  failed(reason: string): void;
  /** What the view is told about its surroundings when it begins. */
  context(): HostContext;
  /** The view is shown in this way now, because it asked for it. */
  changedMode(mode: DisplayMode): void;
}

/** One view in a frame: the sandbox page, the channel to it, and the size. It shows one document, and never another. */
export class ViewFrame {
  readonly element: HTMLIFrameElement;
  readonly peer: Peer;
  readonly #options: MountViewOptions;
  readonly #view: ShownView;
  readonly #listener: FrameListener;
  readonly #origin: string;
  readonly #gone = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  #phase: "loading" | "shown" | "greeted" | "begun" | "gone" = "loading";
  #displayModes: readonly unknown[] | undefined;

  constructor(options: MountViewOptions, view: ShownView, listener: FrameListener) {
    const { container, limits = {}, sandbox, title, tool } = options;
    const address = new URL(sandbox, location.href);
    // With the origin of the host, the page could reach into it ("Sandbox proxy", 1).
    if (address.origin === location.origin || address.origin === "null") {
      throw new TypeError(
        `The sandbox page has the origin of the host, ${location.origin}: serve it from another one.`,
      );
    }
    this.#options = options;
    this.#view = view;
    this.#listener = listener;
    this.#origin = address.origin;
    this.peer = new Peer({
      post: (message) => this.element.contentWindow?.postMessage(message, this.#origin),
      answer: (method, params) => this.#answer(method, params),
      hear: (method, params) => this.#hear(method, params),
      maxOpen: limits.maxOpenRequests ?? 20,
    });
    this.element = document.createElement("iframe");
    this.element.title = title ?? tool?.title ?? tool?.name ?? "View";
    this.element.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
    this.element.setAttribute("allow", allowAttribute(this.#granted()));
    this.element.referrerPolicy = "no-referrer";
    this.element.src = address.href;
    // Whoever looks at the page should see where the view ends, unless it asks for another look.
    const border = view.meta.prefersBorder === false ? "0" : "1px solid light-dark(#d4d4d8, #3f3f46)";
    Object.assign(this.element.style, { display: "block", width: "100%", boxSizing: "border-box", border });
    const allow = createRateLimit(limits.messageRate ?? 100, (limits.messageRate ?? 100) * 4);
    window.addEventListener("message", (event) => this.#receive(event, allow), { signal: this.#gone.signal });
    this.#timer = setTimeout(() => this.fail("The view did not begin in time."), limits.startTimeout ?? 30_000);
    container.append(this.element);
  }

  /** Whether messages may be sent to the view. */
  get hasBegun(): boolean {
    return this.#phase === "begun";
  }

  /** Whether the view can be shown in a way. One that does not say can be shown in all ("Display Modes"). */
  supports(mode: DisplayMode): boolean {
    return this.#displayModes?.includes(mode) ?? true;
  }

  /** Tells the view that it is removed, waits for its answer, and removes it. Resolves to the state that it keeps. */
  async end(reason: string): Promise<unknown> {
    let kept: unknown;
    if (this.#phase === "begun") {
      const timeout = this.#options.limits?.endTimeout ?? 1000;
      // A view that does not answer is removed all the same.
      const answer = await this.peer.request(METHODS.teardown, { reason }, timeout).catch(() => ({}));
      kept = (answer as Params)[KEPT_STATE];
    }
    this.remove(reason);
    return kept;
  }

  /** Removes the view at once. */
  remove(reason: string): void {
    if (this.#phase === "gone") return;
    this.#phase = "gone";
    clearTimeout(this.#timer);
    this.peer.close(reason);
    this.#gone.abort();
    this.element.remove();
  }

  /** Removes the view because of a fault of its own. */
  fail(reason: string): void {
    if (this.#phase === "gone") return;
    this.remove(reason);
    this.#listener.failed(reason);
  }

  #receive({ source, origin, data }: MessageEvent, allow: () => boolean): void {
    const { limits = {}, onEvent } = this.#options;
    // Frames inside of the sandbox page can find this window as well, and so can others: each has another window or origin.
    if (source !== this.element.contentWindow) return;
    if (origin !== this.#origin) {
      onEvent?.({ kind: "ignored", reason: `The sandbox page has gone to ${origin}.` });
      return;
    }
    if (!allow()) return this.fail("The view sent too many messages.");
    const problem = findExcess(data, limits.maxMessageSize ?? 4_000_000);
    if (problem !== undefined) return this.fail(`A message of the view was malformed: ${problem}.`);
    this.peer.receive(data);
  }

  #hear(method: string, params: Params): void {
    if (method === METHODS.sandboxReady && this.#phase === "loading") this.#show();
    else if (method === METHODS.sandboxEnded) {
      this.fail(typeof params["reason"] === "string" ? params["reason"].slice(0, 200) : "The view has ended.");
    } else if (method === METHODS.initialized && this.#phase === "greeted") {
      this.#phase = "begun";
      clearTimeout(this.#timer);
      this.#listener.began();
    } else if (method === METHODS.sizeChanged) this.#resize(params["height"]);
    else if (method === "notifications/message") hearLog(params, this.#options);
  }

  #show(): void {
    this.#phase = "shown";
    const { uri, html, meta } = this.#view;
    const { csp } = meta;
    this.peer.notify(METHODS.sandboxResource, { html, ...(csp && { csp }), permissions: this.#granted() });
    this.#options.onEvent?.({ kind: "shown", uri, policy: contentPolicy(csp, isContentSource) });
  }

  async #answer(method: string, params: Params): Promise<object> {
    const { onEvent } = this.#options;
    try {
      const result = method === METHODS.initialize ? this.#greet(params) : await this.#serve(method, params);
      onEvent?.({ kind: "request", method, error: undefined });
      return result;
    } catch (error) {
      onEvent?.({ kind: "request", method, error: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  }

  async #serve(method: string, params: Params): Promise<object> {
    if (this.#phase !== "greeted" && this.#phase !== "begun") {
      throw new ViewError(CODES.invalidRequest, `A view begins with ${METHODS.initialize}.`);
    }
    const { displayMode = "inline" as DisplayMode } = this.#listener.context();
    const supports = (mode: DisplayMode): boolean => this.supports(mode);
    const requester = { options: this.#options, signal: this.#gone.signal, displayMode, supports };
    const result = await answerView(method, params, requester);
    if (method === METHODS.requestDisplayMode) this.#listener.changedMode((result as { mode: DisplayMode }).mode);
    return result;
  }

  #greet({ appCapabilities }: Params): object {
    if (this.#phase !== "shown") throw new ViewError(CODES.invalidRequest, "The view has begun already.");
    this.#phase = "greeted";
    const modes = isRecord(appCapabilities) ? appCapabilities["availableDisplayModes"] : undefined;
    this.#displayModes = Array.isArray(modes) ? (modes as unknown[]) : undefined;
    return {
      protocolVersion: VIEWS_REVISION,
      hostInfo: this.#options.hostInfo ?? { name: "host", version: "1.0.0" },
      hostCapabilities: this.#capabilities(),
      hostContext: this.#listener.context(),
    };
  }

  #capabilities(): HostCapabilities {
    const { approve, onLog, sendMessage, server, updateContext } = this.#options;
    const { csp } = this.#view.meta;
    return {
      ...(approve && { openLinks: {} }),
      ...(server?.callTool && { serverTools: {} }),
      ...(server?.readResource && { serverResources: {} }),
      ...(onLog && { logging: {} }),
      ...(sendMessage && { message: { text: {} } }),
      ...(updateContext && { updateModelContext: { text: {}, structuredContent: {} } }),
      sandbox: { permissions: this.#granted(), ...(csp && { csp }) },
    };
  }

  /** The permissions that the view asks for and the host gives. */
  #granted(): ViewPermissions {
    const { permissions = [] } = this.#options;
    const wanted = this.#view.meta.permissions ?? {};
    return Object.fromEntries(permissions.filter((each) => wanted[each] !== undefined).map((each) => [each, {}]));
  }

  /** Gives the frame the height of the document, up to a limit. The width is that of its container. */
  #resize(height: unknown): void {
    if (typeof height !== "number" || !(height >= 0)) return;
    const most = this.#options.limits?.maxHeight ?? 800;
    this.element.style.height = `${Math.min(Math.ceil(height), most)}px`;
  }
}
