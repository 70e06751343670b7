const MAX_SHOWN = 60;
const MAX_SHOWN_NAME = 20;
const MAX_LISTED = 10;

/** Shows a value in a message, in a few words whatever its size. */
export function showValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(shorten(value));
    case "number":
    case "boolean":
    case "bigint":
    case "undefined":
      return String(value);
    case "object":
      if (value === null) return "null";
      if (Array.isArray(value)) return `an array of ${countThings(value.length, "item", "items")}`;
      return showObject(value);
    default:
      return `a ${typeof value}`;
  }
}

function showObject(value: object): string {
  const keys = Object.keys(value);
  if (keys.length === 0) return "an empty object";
  const shown = keys.slice(0, 3).map((key) => shorten(key, MAX_SHOWN_NAME));
  return `an object with ${shown.join(", ")}${keys.length > shown.length ? ", …" : ""}`;
}

/** Cuts a text that is too long for a message. */
export function shorten(text: string, length: number = MAX_SHOWN): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** Counts things: `1 item`, `3 items`. */
export function countThings(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Names the type of a value as JSON Schema does. */
export function nameType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

/** Lists alternatives: `a, b or c`, and no more than a reader can take in. */
export function listAlternatives<T>(alternatives: readonly T[], show: (alternative: T) => string = String): string {
  const shown = alternatives.slice(0, MAX_LISTED).map(show);
  const hidden = alternatives.length - shown.length;
  const last = hidden > 0 ? `one of ${hidden} others` : (shown.pop() ?? "nothing");
  return shown.length > 0 ? `${shown.join(", ")} or ${last}` : last;
}
