// oxlint-disable-next-line no-control-regex -- finding those is the purpose
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;
const LATE_CONTROLS = /[\u007F-\u009F]/g;

/**
 * Text of a server that is safe to show in a terminal. Control characters could move the cursor, change the title or worse,
 * so they become visible instead.
 */
export function toPrintable(text: unknown): string {
  // Whatever a server puts where a text should be is shown as what it is.
  return (typeof text === "string" ? text : toJson(text)).replaceAll(CONTROLS, "\uFFFD");
}

/** JSON that is safe to show in a terminal: it escapes the control characters of ASCII by itself, but not those beyond. */
export function toJson(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value, null, 2) ?? "";
  } catch {
    text = '"(nested too deeply to be shown)"';
  }
  return text.replaceAll(LATE_CONTROLS, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}
