/** Chosen by whoever wants progress on a request, and repeated in each progress notification for it. */
export type ProgressToken = string | number;

/** Where the next page of a list begins. Only the server that issued it can read it; the empty string is valid. */
export type Cursor = string;
