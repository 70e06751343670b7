import type { ContentBlock, LoggingLevel, Tool } from "@toolwire/protocol";
import type { ViewMeta } from "@toolwire/protocol/views";
import type { DisplayMode, HostContext } from "../model/context.ts";

/** A value, or the promise of one. */
export type Awaitable<T> = T | Promise<T>;

/** A view, as it was read from its server. `client.use(views()).read(tool)` of `@toolwire/client/views` makes it. */
export interface ShownView {
  readonly uri: string;
  readonly html: string;
  /** What the view declares, after checks: see `readViewMeta`. */
  readonly meta: ViewMeta;
}

/**
 * The server that a view belongs to, as far as its views may use it. `client.use(views())` of `@toolwire/client/views` is one. What is
 * missing, views cannot do.
 */
export interface ViewServer {
  /** Finds a tool; `undefined` if there is none. */
  findTool?(name: string): Awaitable<Tool | undefined>;
  callTool?(
    name: string,
    args: { readonly [argument: string]: unknown },
    options: { readonly signal: AbortSignal },
  ): Promise<object>;
  readResource?(uri: string, options: { readonly signal: AbortSignal }): Promise<object>;
}

/** Something that a view wants to do. Nothing of it happens unless it is approved. */
export type ViewAction =
  /** Call a tool. The arguments are exactly those that will be sent. The server has written the tool's description and hints. */
  | { readonly kind: "callTool"; readonly tool: Tool; readonly arguments: { readonly [argument: string]: unknown } }
  | { readonly kind: "readResource"; readonly uri: string }
  /** Open a page, whose address begins with `https:` or `http:`. */
  | { readonly kind: "openLink"; readonly url: string }
  /** Say something in the conversation, as the user. */
  | { readonly kind: "sendMessage"; readonly content: readonly ContentBlock[] };

/** Something that has happened with a view, for a log. */
export type ViewEvent =
  /** The view is shown under this content policy. */
  | { readonly kind: "shown"; readonly uri: string; readonly policy: string }
  /** The view has sent a request, and this has become of it. */
  | { readonly kind: "request"; readonly method: string; readonly error: string | undefined }
  /** A message was not heard: it came from elsewhere, or was malformed. */
  | { readonly kind: "ignored"; readonly reason: string };

/** The options of {@link mountView}. */
export interface MountViewOptions {
  /** The element that the frame becomes a child of. */
  readonly container: HTMLElement;
  /** The address of the sandbox page, which has another origin than the host: see `createSandboxPage`. */
  readonly sandbox: string | URL;
  readonly view: ShownView;
  /** The tool whose result the view shows. */
  readonly tool?: Tool | undefined;
  readonly server?: ViewServer | undefined;
  /**
   * Decides about everything that a view wants to do outside of its frame, usually by asking the user. Default: nothing is allowed. `signal`
   * aborts when the view is gone.
   */
  readonly approve?: ((action: ViewAction, signal: AbortSignal) => Awaitable<boolean>) | undefined;
  /** Opens a page. Default: in a new tab, without access to the host. */
  readonly openLink?: ((url: string) => void) | undefined;
  /** Takes what a view says in the conversation. Missing: views cannot. */
  readonly sendMessage?: ((content: readonly ContentBlock[]) => Awaitable<void>) | undefined;
  /** Takes what a view tells the model for its next turn, each replacing the last. Missing: views cannot. It is untrusted. */
  readonly updateContext?: ((update: ModelContext) => Awaitable<void>) | undefined;
  /** Changes the way in which the view is shown, and returns that in which it is shown then. */
  readonly changeDisplayMode?: ((mode: DisplayMode) => Awaitable<DisplayMode>) | undefined;
  /** What the view is told about its surroundings: the theme, the language. */
  readonly context?: HostContext | undefined;
  /** The permissions of the browser that a view gets, of those that it asks for. Default: none. */
  readonly permissions?: readonly ("camera" | "microphone" | "geolocation" | "clipboardWrite")[] | undefined;
  /** What the host calls itself. */
  readonly hostInfo?: { readonly name: string; readonly version: string } | undefined;
  /** The name of the frame for people who cannot see it. Default: the title of the tool. */
  readonly title?: string | undefined;
  readonly limits?: ViewLimits | undefined;
  readonly onLog?: ((level: LoggingLevel, data: unknown) => void) | undefined;
  readonly onEvent?: ((event: ViewEvent) => void) | undefined;
}

/** What a view tells the model. */
export interface ModelContext {
  readonly content?: readonly ContentBlock[] | undefined;
  readonly structuredContent?: { readonly [member: string]: unknown } | undefined;
}

/** What a view may use of the host's page. A view that exceeds a limit on messages is removed. */
export interface ViewLimits {
  /** The height in pixels that a view can give itself. Default 800. */
  readonly maxHeight?: number | undefined;
  /** How many of its requests may be open at the same time. Default 20. */
  readonly maxOpenRequests?: number | undefined;
  /** How many messages it may send per second, in the long run; four times as many at once. Default 100. */
  readonly messageRate?: number | undefined;
  /** How many characters a message may have. Default 4 000 000. */
  readonly maxMessageSize?: number | undefined;
  /** How many milliseconds it has to begin. Default 30 000. */
  readonly startTimeout?: number | undefined;
  /** How many milliseconds it has to end. Default 1000. */
  readonly endTimeout?: number | undefined;
}

/** A view that is shown. */
export interface MountedView {
  /** The frame, for its place in the page. Its document belongs to another origin. */
  readonly frame: HTMLIFrameElement;
  /** Resolves when the view has begun. Rejects if it cannot. */
  readonly ready: Promise<void>;
  /** Resolves when the view is gone: to the reason if the view is at fault, or to `undefined` if `close` was called. */
  readonly closed: Promise<string | undefined>;
  /** Sends the arguments of the call, once, when they are complete. What is sent before the view begins reaches it then. */
  sendInput(args: object): void;
  /** Sends as much of the arguments as the model has written so far. */
  sendPartialInput(args: object): void;
  /** Sends the result of the call. The arguments come first. */
  sendResult(result: object): void;
  /** Tells that the call was cancelled. */
  sendCancelled(reason?: string): void;
  /** Tells what has changed around the view, such as the theme. */
  setContext(change: HostContext): void;
  /** Shows another version of the view in its place. It gets the same arguments and result, and the state that the last one kept. */
  replace(view: ShownView): Promise<void>;
  /** Removes the view, after it was told. */
  close(reason?: string): Promise<void>;
}
