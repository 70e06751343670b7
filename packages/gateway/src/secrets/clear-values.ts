import { isObject } from "@toolwire/protocol/internal";
import { SHORTEST_REDACTED } from "./redactor.ts";
import { SECRET_MARK } from "./secret.ts";

/** Takes the credentials of a call out of a text. */
export function clearText(text: string, secrets: readonly string[] | undefined): string {
  let cleared = text;
  for (const secret of secrets ?? []) {
    if (secret.length >= SHORTEST_REDACTED) cleared = cleared.replaceAll(secret, SECRET_MARK);
  }
  return cleared;
}

/**
 * Takes the credentials of a call out of all texts in a value that is JSON, the names of members included. Returns the value
 * itself if there are none in it.
 */
export function clearValue<T>(value: T, secrets: readonly string[]): T {
  return secrets.some(({ length }) => length >= SHORTEST_REDACTED) ? (clear(value, secrets) as T) : value;
}

function clear(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === "string") return clearText(value, secrets);
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => clear(item, secrets));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(
    ([name, member]) => [clearText(name, secrets), clear(member, secrets)] as const,
  );
  return entries.some(([name, member]) => member !== value[name]) ? Object.fromEntries(entries) : value;
}
