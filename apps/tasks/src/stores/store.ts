/** The stores in which tasks can be kept. */
export const STORE_NAMES = ["memory", "files", "redis", "postgres"] as const;

export type StoreName = (typeof STORE_NAMES)[number];

/** Those whose tasks survive the process: the others lose them with it, as they should. */
export const DURABLE: readonly StoreName[] = ["files", "redis", "postgres"];

/** Where processes find a store. */
export type StoreAddress =
  | { readonly name: "memory" }
  | { readonly name: "files"; readonly directory: string }
  | { readonly name: "redis" | "postgres"; readonly url: string };

/** A store that can be opened. */
export interface StartedStore {
  readonly address: StoreAddress;
  /** Its kind and version, as people read them. */
  readonly title: string;
  /** Stops what was started for it, and removes what it has kept. */
  close(): Promise<void>;
}

/** The machine does not have what a store needs. */
export class EngineMissing extends Error {
  override readonly name: string = "EngineMissing";
}
