import type { Meta } from "./meta.ts";
import type { Result } from "./result.ts";

/** A place in the client's file system that the server may work in. */
export interface Root {
  /** A `file:` URI. */
  uri: string;
  name?: string | undefined;
  /** Since 2025-06-18. */
  _meta?: Meta | undefined;
}

/** All roots. Deprecated since 2026-07-28, and still served. */
export interface ListRootsResult extends Result {
  roots: readonly Root[];
}
