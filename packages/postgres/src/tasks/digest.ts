import { createHash } from "node:crypto";

/**
 * Stands for the caller of a task in an index, and for the id of a task in notifications, which every role of the database can hear. In
 * hexadecimal digits; another one for each text, and for none.
 */
export function digestOf(text: string | null): string {
  return createHash("sha256").update(JSON.stringify(text)).digest("hex");
}
