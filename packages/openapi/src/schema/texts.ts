/** How texts of documents are written for models: as lean as they can be read, or as the document has them. */
import type { JsonSchema } from "@toolwire/server";
import { splitName } from "@toolwire/server/search/internal";
import { cleanDescription, cleanLine, MAX_TOOL_DESCRIPTION } from "./describe.ts";
import { dropLinks, fitSentences, splitSentences } from "./sentences.ts";

/** `lean`: what a model needs, once. `full`: as the document has it, cleaned of markup. */
export type DescriptionStyle = "lean" | "full";

/** Writes texts of one document. */
export interface Texts {
  /** The title of a tool. Empty if nothing is left. */
  ofTitle(text: string): string;
  /** The description of a tool, made of the summary and the description of its operation. Empty if nothing is left. */
  ofTool(summary: string, description: string): string;
  /** The description of an argument, a property or a body. */
  ofSchema(text: string): string;
  /** The schema of something that has a name, which its own texts need not repeat. */
  ofNamed(name: string, schema: JsonSchema): JsonSchema;
}

/** The most characters of a title. */
const MAX_TITLE = 100;

/** The most characters of the lean description of a tool: about 120 tokens. */
const LEAN_TOOL_DESCRIPTION = 500;

/** The most characters of the lean description of an argument or a property. */
const LEAN_DESCRIPTION = 200;

/** The texts of a style. */
export function textsOf(style: DescriptionStyle = "lean"): Texts {
  return style === "lean" ? LEAN : FULL;
}

const FULL: Texts = {
  ofTitle: (text) => cleanLine(text, MAX_TITLE),
  ofTool(summary, description) {
    const long = cleanDescription(description, MAX_TOOL_DESCRIPTION);
    const short = cleanLine(summary, 300);
    const isRepeated = long.toLowerCase().startsWith(short.toLowerCase().replace(/\.$/, ""));
    const both = isRepeated || long === "" ? long || short : `${short}\n\n${long}`;
    return cleanDescription(both, MAX_TOOL_DESCRIPTION);
  },
  ofSchema: (text) => cleanDescription(text),
  ofNamed: (_, schema) => schema,
};

const LEAN: Texts = {
  ofTitle: (text) => cleanLine(dropLinks(cleanLine(text, 3 * MAX_TITLE)), MAX_TITLE),
  ofTool(summary, description) {
    const title = dropLinks(cleanLine(summary, 300));
    const [first = "", ...others] = leanSentences(description, 8 * LEAN_TOOL_DESCRIPTION);
    const sentences = isSame(first, title) ? others : [first, ...others];
    // Many clients show models no titles: a tool that has nothing else to say says its title.
    return fitSentences(sentences, LEAN_TOOL_DESCRIPTION) || title;
  },
  ofSchema: (text) => fitSentences(leanSentences(text, 8 * LEAN_DESCRIPTION), LEAN_DESCRIPTION),
  ofNamed(name, schema) {
    if (typeof schema === "boolean") return schema;
    const { title, description, ...others } = schema;
    const repeats = (text: unknown): boolean => typeof text === "string" && isSame(text, name);
    if (!repeats(title) && !repeats(description)) return schema;
    return { ...(!repeats(title) && { title }), ...(!repeats(description) && { description }), ...others };
  },
};

/** Sentences that lead to further documentation, which a model cannot read. */
const POINTER =
  /^(?:for (?:more|further|additional) (?:information|details?|info|help)|learn more|read more|see (?:also|the))\b/i;

/** The sentences of a text, without links, and without those that are about nothing but a link. */
function leanSentences(text: string, maxLength: number): readonly string[] {
  return splitSentences(cleanDescription(text, maxLength)).flatMap((sentence) => {
    const plain = dropLinks(sentence);
    return plain.trim() === "" || (plain !== sentence && POINTER.test(plain.trimStart())) ? [] : [plain];
  });
}

/** Whether two texts have the same words, but for articles. */
function isSame(one: string, other: string): boolean {
  return wordsOf(one) === wordsOf(other);
}

function wordsOf(text: string): string {
  return splitName(text.slice(0, 300))
    .filter((word) => word !== "a" && word !== "an" && word !== "the")
    .join(" ");
}
