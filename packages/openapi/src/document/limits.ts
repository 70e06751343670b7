/** Limits on documents, which may come from anybody. */

/** The most bytes of a document as text. The largest public ones have about 13 million. */
export const MAX_BYTES: number = 20 * 1024 * 1024;

/** The most levels of lists and objects in a document. */
export const MAX_DEPTH = 200;

/** The most values in a document, with aliases written out. The largest public documents have less than a million. */
export const MAX_VALUES = 5_000_000;

/** The most operations of a document. */
export const MAX_OPERATIONS = 5_000;

/** The most parameters of an operation. Many paths can refer to one list of them, so the list has to be short. */
export const MAX_PARAMETERS = 2_000;

/** The most references that lead to each other before something else comes. */
export const MAX_REFERENCES_IN_A_ROW = 100;
