import { ToolwireError } from "@toolwire/protocol";
import { brandError } from "@toolwire/protocol/internal";

/** The methods of the extension, by what they are for. */
export const METHODS = {
  initialize: "ui/initialize",
  initialized: "ui/notifications/initialized",
  openLink: "ui/open-link",
  message: "ui/message",
  updateContext: "ui/update-model-context",
  requestDisplayMode: "ui/request-display-mode",
  toolInput: "ui/notifications/tool-input",
  partialToolInput: "ui/notifications/tool-input-partial",
  toolResult: "ui/notifications/tool-result",
  toolCancelled: "ui/notifications/tool-cancelled",
  contextChanged: "ui/notifications/host-context-changed",
  sizeChanged: "ui/notifications/size-changed",
  teardown: "ui/resource-teardown",
  sandboxReady: "ui/notifications/sandbox-proxy-ready",
  sandboxResource: "ui/notifications/sandbox-resource-ready",
  /** Ours: the page has removed the view. Views cannot send it, since a sandbox forwards no method that begins like this. */
  sandboxEnded: "ui/notifications/sandbox-view-ended",
} as const;

/** The codes of JSON-RPC that are used here. */
export const CODES = { invalidRequest: -32600, unknownMethod: -32601, invalidParams: -32602, refused: -32000 } as const;

/** A request that the other side has refused, or that could not be sent. */
export class ViewError extends ToolwireError {
  static {
    brandError(this, "ViewError");
  }

  override readonly name: string = "ViewError";
  /** A code of JSON-RPC. */
  override readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** A message of JSON-RPC, whose members may be anything. */
export interface LooseMessage {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Reads what a window has sent; `undefined` if it is no JSON-RPC, as the messages of browser extensions. */
export function readMessage(data: unknown): LooseMessage | undefined {
  return isRecord(data) && data["jsonrpc"] === "2.0" ? data : undefined;
}

/** Whether a value is an object and no list. */
export function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
