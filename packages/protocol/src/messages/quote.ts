/** Untrusted values inside of messages for people: quoted, cut, and printable. */

/** The number of characters of a peer's text that are shown. */
const SHOWN_LENGTH = 200;

/** Control and format characters and line separators, which control terminals, are invisible, or forge lines of a log. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Shows text of a peer inside a message: quoted, cut, and without unprintable characters. */
export function quoteWords(words: string): string {
  return escapeUnprintable(JSON.stringify(words.slice(0, SHOWN_LENGTH)));
}

/** Writes every character that is not printable as its escape in JSON; line feeds and tabs stay as they are. */
export function escapeUnprintable(text: string): string {
  return text.replaceAll(UNPRINTABLE, (character) =>
    character === "\n" || character === "\t" ? character : escape(character),
  );
}

/** Escapes UTF-16 code units, as JSON does: a character beyond the first plane takes two. */
function escape(character: string): string {
  return character.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The most characters of a value that are shown, and the most members that are read. */
const MOST = 100;

/** Shows the beginning of a value as JSON, for a message. A value may be nested deeper than any stack. */
export function quote(value: unknown): string {
  let left = MOST;
  const text = JSON.stringify(value, (_key, member: unknown) => (left-- > 0 ? member : undefined)) ?? String(value);
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}
