/** How many characters of a peer's words are shown. */
const SHOWN_LENGTH = 200;

/** Control and format characters and line separators, which command terminals, cannot be seen, or forge lines of a log. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Shows words of a peer inside a message: quoted, cut, and without anything that is not printable. */
export function quoteWords(words: string): string {
  return escapeUnprintable(JSON.stringify(words.slice(0, SHOWN_LENGTH)));
}

/** Writes every character that is not printable as its escape in JSON; line feeds and tabs stay as they are. */
export function escapeUnprintable(text: string): string {
  return text.replaceAll(UNPRINTABLE, (character) =>
    character === "\n" || character === "\t" ? character : escape(character),
  );
}

/** In UTF-16, as JSON does: a character beyond the first plane takes two. */
function escape(character: string): string {
  return character.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** So many characters of a value are shown, and so many of its members are looked at. */
const MOST = 100;

/** Shows the beginning of a value as JSON, for a message. A value may be nested deeper than any stack. */
export function quote(value: unknown): string {
  let left = MOST;
  const text = JSON.stringify(value, (_key, member: unknown) => (left-- > 0 ? member : undefined)) ?? String(value);
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}
