/**
 * The contract between bindings and authorization. Bindings know nothing of OAuth: they ask whether a request may come in, serve a
 * document, and name missing scopes. Everything else is in `auth/`, which only those load who use it.
 */
import type { Cluster } from "../../cluster/cluster.ts";
import type { Principal } from "../../origin.ts";
import type { RequestHead } from "./options.ts";
import type { Refusal } from "./refusals.ts";

/** Lets callers in by their tokens. `protect()` of `@toolwire/server/auth` makes one. */
export interface ServerAuth {
  /** Tells clients how to get a token. It is public. */
  readonly metadata: ResourceMetadata;
  /**
   * Decides on a request before its body is read. Answers at once where possible, such as for a token that was verified a moment
   * ago, so that requests are not delayed.
   */
  admit(request: RequestHead): Admission | Promise<Admission>;
  /** The header fields of a 403 that asks for these scopes: names and values in turn. */
  challenge(scopes: readonly string[]): readonly string[];
  /**
   * Attaches what this process shares with others, for what may pass only once over all of them. Bindings with a `cluster` call it.
   * Returns what the binding calls when it has closed.
   */
  attachCluster?(cluster: Cluster): () => Promise<void>;
}

/** The decision on a request. */
export type Admission =
  | {
      readonly principal: Principal | undefined;
      /** Fields for the response, whichever it will be: names and values in turn. */
      readonly headers?: readonly string[] | undefined;
    }
  | { readonly refusal: Refusal };

/** The metadata of a protected resource (RFC 9728), ready to be sent. */
export interface ResourceMetadata {
  /** Where clients find it, such as `https://api.example.com/.well-known/oauth-protected-resource/mcp`. */
  readonly url: string;
  /** The path of `url`. */
  readonly path: string;
  /** The document as JSON text. */
  readonly text: string;
}
