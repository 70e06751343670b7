import type { Meta } from "./meta.ts";
import type { Result } from "./result.ts";

/** A directory or file of the client that the server may work in. */
export interface Root {
  /** A `file:` URI. */
  uri: string;
  name?: string | undefined;
  /** Since 2025-06-18. */
  _meta?: Meta | undefined;
}

/** All roots of a client. Deprecated since 2026-07-28, but still supported. */
export interface ListRootsResult extends Result {
  roots: readonly Root[];
}
