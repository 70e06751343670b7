/** Identifies the request that a progress notification belongs to. The sender of the request chooses it. */
export type ProgressToken = string | number;

/** Where the next page of a list begins. Only the server that issued it can read it; the empty string is valid. */
export type Cursor = string;
