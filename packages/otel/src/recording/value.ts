/**
 * Takes out of a value what must not be recorded, and returns the rest: `undefined` to record nothing. `tool` is the name of the tool
 * that was called.
 */
export type Redact = (value: unknown, about: { readonly tool: string }) => unknown;

/** A value as text for an attribute: redacted, as JSON, and cut. What cannot be written is not recorded. */
export function writeValue(redact: Redact, value: unknown, tool: string, maxLength: number): string | undefined {
  try {
    const text = JSON.stringify(redact(value, { tool })) as string | undefined;
    return text === undefined || text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
  } catch {
    // A function that fails must not lead to a record of what it was to take out.
    return undefined;
  }
}
