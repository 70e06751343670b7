import type { IncomingMessage } from "node:http";

/** A request header, by its lower-case name; repeated ones are joined as HTTP says. */
export function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  // Whoever asks for `constructor` finds more than headers.
  const value: unknown = headers[name];
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.join(", ") : undefined;
}
