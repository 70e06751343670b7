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

/** So many characters of a server's words are quoted. */
const MOST_QUOTED = 200;

/**
 * Words of a server inside a sentence: in quotes, in one line, and cut. Line breaks, control characters and invisible
 * characters are escaped, so that the words cannot pose as anything else that is printed.
 */
export function quote(words: string): string {
  const shown = words.length > MOST_QUOTED ? `${words.slice(0, MOST_QUOTED)}…` : words;
  return JSON.stringify(shown).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
  });
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
