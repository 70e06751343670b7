import type { CacheableResult } from "./cache.ts";
import type { ClientCapabilities, ServerCapabilities } from "./capabilities.ts";
import type { Implementation } from "./implementation.ts";
import type { RequestParams, Result } from "./result.ts";

/** The capabilities and revisions of a server (2026-07-28). Its name and version are in `_meta`, as in every result. */
export interface DiscoverResult extends CacheableResult {
  /** The revisions that the server speaks, including those that this SDK does not know. */
  supportedVersions: readonly string[];
  capabilities: ServerCapabilities;
  /** Tells the model how to use the server. */
  instructions?: string | undefined;
}

/** Opens a connection of the legacy era (2025-11-25 and earlier). */
export interface InitializeParams extends RequestParams {
  /** The newest revision that the client wants to speak. */
  protocolVersion: string;
  clientInfo: Implementation;
  capabilities: ClientCapabilities;
}

/** The server's side of the handshake (2025-11-25 and earlier). */
export interface InitializeResult extends Result {
  /** The revision that the connection will speak: the client's, or the newest of the server's. */
  protocolVersion: string;
  serverInfo: Implementation;
  capabilities: ServerCapabilities;
  /** Tells the model how to use the server. */
  instructions?: string | undefined;
}
