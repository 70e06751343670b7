/** What a server does for an extension that acts on its own. */
import type {
  CallToolParams,
  ClientCapabilities,
  Implementation,
  InputRequest,
  JsonValue,
  Revision,
} from "@toolwire/protocol";
import type { TextSeal } from "../binding.ts";
import type { ServerDiagnostic } from "../diagnostics.ts";
import type { Principal } from "../origin.ts";
import type { Context } from "./context.ts";
import type { DetachedCall, DetachedRun } from "./tool-hooks.ts";

/** A server that is being served, as one of its extensions sees it. */
export interface ExtensionHost {
  readonly name: string;
  readonly version: string;
  /**
   * Makes a seal for text that is kept, with the keys of the option `stateKey` or those that nodes share. `undefined` if there are none:
   * then nothing could be opened after a restart.
   */
  createSeal(purpose: string): TextSeal | undefined;
  /** Tells all who have subscribed to a topic of this extension, on all nodes. Repeated events within one turn count once. */
  publish(topic: string, event: JsonValue): void;
  /** Calls a tool for a client that does not wait, as if it had just sent the request: middleware, scopes and arguments count again. */
  call(stored: StoredCall, run: DetachedRun): DetachedCall;
  /**
   * Sends a question to the client of a request that is being served, and resolves to the answer as it came. Rejects where servers send no
   * requests, as in the modern era, and when the request ends. Ask only what the client has declared.
   */
  ask(context: Context, question: InputRequest): Promise<unknown>;
  /** Tells the operator something. */
  diagnose(event: ServerDiagnostic): void;
}

/** A call that was kept, and goes on without its request. All of it is JSON, but for the claims of the principal. */
export interface StoredCall {
  readonly params: CallToolParams;
  readonly revision: Revision;
  readonly principal: Principal | undefined;
  /** Whether the caller was the program that started the process: see `Origin.isLocal`. */
  readonly isLocal: boolean;
  readonly clientInfo: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
}
