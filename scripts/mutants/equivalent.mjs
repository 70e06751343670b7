/**
 * Mutants of which a person judged that nobody can see the difference: a line of the sources, what stands before the token on
 * it, and why.
 *
 * @type {readonly { file: string, line: string, before: string, reason: string }[]}
 */
export const EQUIVALENT = [];
