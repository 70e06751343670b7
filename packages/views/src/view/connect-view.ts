import { VIEWS_REVISION } from "@toolwire/protocol/views";
import { CODES, isRecord, METHODS, ViewError } from "../messages/message.ts";
import { Peer } from "../messages/peer.ts";
import type { DisplayMode, HostContext } from "../model/context.ts";
import { applyTheme } from "../theme/apply-theme.ts";
import { fitContainer, reportSize } from "./report-size.ts";
import type { InputOf, OutputOf, ToolsOf } from "./types.ts";
import { View, type Greeting } from "./view.ts";

/** The options of {@link connectView}. */
export interface ConnectViewOptions {
  /** What the view calls itself. Default: the title of its document. */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  /** All ways in which it can be shown. Default: in the flow of the host only. */
  readonly displayModes?: readonly DisplayMode[] | undefined;
  /** Whether the document gets the theme of the host, and fits its container. Default true. */
  readonly followsHost?: boolean | undefined;
  /** Whether the host is told how large the document is. Default true. */
  readonly reportsSize?: boolean | undefined;
  /** How many milliseconds the host has for its greeting. Default 10 000. */
  readonly timeout?: number | undefined;
}

/**
 * Connects a view to the host that shows it. Call it once, in the document of the view. The types are those of the tool whose results it
 * shows, and of the server whose tools it calls:
 *
 * @example
 * ```ts
 * import type { forecast, server } from "../server.ts";
 * const view = await connectView<typeof forecast, typeof server>();
 * const draw = () => (document.body.textContent = view.state.result?.structuredContent?.summary ?? "…");
 * view.subscribe(draw);
 * draw();
 * ```
 */
export async function connectView<Tool = unknown, Server = unknown>(
  options: ConnectViewOptions = {},
): Promise<View<InputOf<Tool>, OutputOf<Tool>, ToolsOf<Server>>> {
  const { name, version, displayModes, followsHost = true, reportsSize = true, timeout = 10_000 } = options;
  const host = window.parent;
  if (host === window) {
    throw new ViewError(CODES.refused, "No host shows this view: it runs in a frame of an application.");
  }
  /** The origin of the host, once it has spoken. Until then, nothing is sent that others must not see. */
  let origin: string | undefined;
  let view: View<InputOf<Tool>, OutputOf<Tool>, ToolsOf<Server>> | undefined;

  const peer = new Peer({
    post: (message) => host.postMessage(message, origin ?? "*"),
    hear: (method, params) => view?.hear(method, params),
    answer: (method, params) => {
      if (method === "ping") return {};
      const { reason } = params;
      if (method === METHODS.teardown) return view?.end(typeof reason === "string" ? reason : undefined) ?? {};
      throw new ViewError(CODES.unknownMethod, `Views do not answer ${method}.`);
    },
  });
  const hear = (event: MessageEvent): void => {
    // Other frames, and windows that the view has opened, may pose as the host.
    if (event.source !== host || event.origin !== (origin ?? event.origin)) return;
    // A host without an origin cannot be named as the receiver of a message.
    if (event.origin !== "null" && event.origin !== "") origin = event.origin;
    peer.receive(event.data);
  };
  window.addEventListener("message", hear);
  try {
    const greeting = await peer.request(
      METHODS.initialize,
      {
        appInfo: { name: name ?? (document.title || "view"), version: version ?? "1.0.0" },
        appCapabilities: { availableDisplayModes: displayModes ?? ["inline"] },
        protocolVersion: VIEWS_REVISION,
      },
      timeout,
    );
    view = new View(peer, readGreeting(greeting));
  } catch (error) {
    window.removeEventListener("message", hear);
    throw error;
  }
  const follow = ({ context }: { readonly context: HostContext }): void => {
    applyTheme(context);
    if (context.containerDimensions !== undefined) fitContainer(context.containerDimensions);
  };
  if (followsHost) {
    follow(view.state);
    view.subscribe(follow);
  }
  peer.notify(METHODS.initialized, {});
  if (reportsSize) reportSize((size) => peer.notify(METHODS.sizeChanged, size));
  return view;
}

function readGreeting(result: object): Greeting {
  const { hostInfo, hostCapabilities, hostContext } = result as { readonly [member: string]: unknown };
  const { name, version } = isRecord(hostInfo) ? hostInfo : {};
  return {
    host: typeof name === "string" ? { name, version: typeof version === "string" ? version : "" } : undefined,
    capabilities: isRecord(hostCapabilities) ? hostCapabilities : {},
    context: isRecord(hostContext) ? hostContext : {},
  };
}
