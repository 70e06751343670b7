import { cleanText } from "@toolwire/server";

/**
 * Texts of documents, for models. Whoever wrote the document may not be trusted by the people who read the tool list: what
 * they cannot see is removed, and what is left is cut.
 */

/** The most characters of the description of a tool. */
export const MAX_TOOL_DESCRIPTION = 1_024;

/** The most characters of the description of an argument or a property. */
const MAX_DESCRIPTION = 500;

/** Tags of HTML that descriptions have as markup. Other words in angle brackets, such as `<owner>`, are text. */
const TAGS =
  /<\/?(?:a|abbr|b|blockquote|br|center|cite|code|dd|div|dl|dt|em|font|form|h[1-6]|hr|i|iframe|img|input|kbd|li|link|meta|object|ol|p|pre|script|small|span|strong|style|sub|sup|svg|table|tbody|td|th|thead|tr|tt|u|ul|var)(?:[\s/][^<>]*)?>/gi;

/** Makes a text of a document fit to be read: no markup, no invisible characters, no terminal escapes, not too long. */
export function cleanDescription(text: string, maxLength: number = MAX_DESCRIPTION): string {
  // Cut first: what is far behind the limit need not be cleaned.
  const near = text.length > 8 * maxLength ? text.slice(0, 8 * maxLength) : text;
  const plain = cleanText(removeComments(near))
    .replaceAll(TAGS, " ")
    .replaceAll(/[ \t\u00a0]+/g, " ")
    .replaceAll(/ ?\r?\n ?/g, "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
  return cutText(plain, maxLength);
}

/** Makes a text fit for one line, such as a title. */
export function cleanLine(text: string, maxLength: number): string {
  return cutText(cleanDescription(text, 2 * maxLength).replaceAll(/\s+/g, " "), maxLength);
}

/** Comments of HTML are shown by no viewer of documents, but read by models. */
function removeComments(text: string): string {
  let kept = "";
  let from = 0;
  for (let start = text.indexOf("<!--"); start !== -1; start = text.indexOf("<!--", from)) {
    kept += text.slice(from, start);
    const end = text.indexOf("-->", start + 4);
    if (end === -1) return kept;
    from = end + 3;
  }
  return kept + text.slice(from);
}

/** Cuts a text at a space if there is one near, and never within a character. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = maxLength - 1;
  const space = text.lastIndexOf(" ", end);
  const kept = text.slice(0, space > Math.max(0, end - 40) ? space : end);
  return `${/[\uD800-\uDBFF]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}
