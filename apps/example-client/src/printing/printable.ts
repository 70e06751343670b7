// oxlint-disable-next-line no-control-regex -- finding those is the purpose
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;

/**
 * Text of a server that is safe to show in a terminal. Control characters could move the cursor, change the title or worse,
 * so they become visible instead.
 */
export function toPrintable(text: string): string {
  return text.replaceAll(CONTROLS, "\uFFFD");
}
