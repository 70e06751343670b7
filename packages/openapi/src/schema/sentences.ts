/** Sentences of descriptions, and the links in them. All work is linear in the length of a text. */
import { cutText } from "./describe.ts";

/** Words whose dot ends no sentence. */
const ABBREVIATION = /(?:^|[\s("'])(?:e\.g|i\.e|etc|vs|cf|incl|approx|no|resp)\.$/i;

/** The longest word before a dot that is looked at. */
const MAX_ABBREVIATION = 12;

/** Ends of sentences: a mark, quotation marks and brackets after it, and white space; or an empty line. */
const END = /[.!?]["'”’)\]*`]{0,4}\s+|\n\n/g;

/** The sentences of a text, with the white space that follows them. */
export function splitSentences(text: string): readonly string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const { 0: end, index } of text.matchAll(END)) {
    const next = index + end.length;
    const before = text.slice(Math.max(start, index - MAX_ABBREVIATION), index + 1);
    if (!end.includes("\n") && (isLowerCase(text[next]) || ABBREVIATION.test(before))) continue;
    sentences.push(text.slice(start, next));
    start = next;
  }
  if (start < text.length) sentences.push(text.slice(start));
  return sentences;
}

function isLowerCase(character: string | undefined): boolean {
  return character !== undefined && /\p{Ll}/u.test(character);
}

/** As many whole sentences as fit. If not even the first does, it is cut. */
export function fitSentences(sentences: readonly string[], maxLength: number): string {
  let text = "";
  for (const sentence of sentences) {
    const longer = text + sentence;
    if (longer.trim().length > maxLength) return text.trim() === "" ? cutText(sentence.trim(), maxLength) : text.trim();
    text = longer;
  }
  return text.trim();
}

/** Links, with their texts or other names as targets, and images. */
const LINK = /(!?)\[([^[\]]{0,300})\](?:\([^()\s]{0,500}(?:\s"[^"()]{0,200}")?\)|\[[^[\]]{0,200}\])/g;

/** `<https://example.com>`, and definitions of targets: `[1]: https://example.com`. */
const TARGET = /<https?:\/\/[^<>\s]{1,500}>|^\[[^[\]]{1,200}\]:[ \t]{0,4}\S{1,500}$/gm;

/** Marks of quotations: `> [!NOTE]`. */
const QUOTATION = /^>[ \t]?(?:\[![A-Z]{1,20}\])?/gm;

/** Replaces links of Markdown by their texts, and drops images and bare targets. */
export function dropLinks(text: string): string {
  if (!/[[<>]/.test(text)) return text;
  return text
    .replaceAll(LINK, (_, image: string, shown: string) => (image === "" ? shown : ""))
    .replaceAll(TARGET, "")
    .replaceAll(QUOTATION, "");
}
