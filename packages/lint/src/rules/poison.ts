import { cleanText } from "@toolwire/protocol/internal";
import type { Report, Rule } from "../rule.ts";
import { SOURCES } from "./sources.ts";

/**
 * Texts that talk to the model behind the back of the user. Descriptions of servers become part of the prompt, and few applications
 * show all of them. No pattern finds all of that, so a list without findings is not safe: it lacks what is known.
 */

/** Characters that a model reads and a person does not see, and escapes that change what a terminal shows. */
export const hiddenText: Rule = {
  id: "hidden-text",
  severity: "error",
  summary: "texts have no invisible characters",
  hosts: [],
  sources: [SOURCES.poisoning, "https://www.unicode.org/reports/tr36/"],
  *text({ text, path }) {
    const clean = cleanText(text);
    // Line separators are written otherwise, and nothing of them is hidden.
    const shown = text.replaceAll(/[\u2028\u2029]/g, "\n");
    if (clean === shown) return;
    yield {
      path,
      message:
        `This text has ${shown.length - clean.length} characters that a model reads and a person does not see. Remove them; in the text of ` +
        "another server, take them for an attack.",
    };
  },
  *tool({ tool: { name } }) {
    if (cleanText(name) === name) return;
    yield { path: ["name"], message: "The name has characters that nobody sees, so that it can pass for another one." };
  },
};

interface Pattern {
  readonly what: string;
  readonly pattern: RegExp;
  readonly isError?: boolean;
}

/** Each is tried once per text, and can look only so far from each of its words, so that the work grows with the length alone. */
const PATTERNS: readonly Pattern[] = [
  {
    what: "tells the model to ignore its instructions",
    pattern:
      /\b(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,40}\b(?:previous|prior|above|earlier|all|system|safety|other)\b[^.!?\n]{0,40}\b(?:instructions?|rules?|prompts?|guidelines?|polic(?:y|ies))\b/,
    isError: true,
  },
  {
    what: "tells the model to hide something from the user",
    pattern:
      /\b(?:do not|don't|don’t|never|must not|without)\b[^.!?\n]{0,30}\b(?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|reveal(?:ing)?|show(?:ing)?|notify(?:ing)?|alert(?:ing)?|ask(?:ing)?)\b[^.!?\n]{0,30}\b(?:users?|humans?|anyone|anybody|people)\b/,
    isError: true,
  },
  {
    what: "has a tag that poses as a message of the application",
    pattern: /<\/?\s{0,4}(?:important|system|instructions?|secret|admin|hidden|priority)\s{0,4}>/,
  },
  {
    what: "has a line that poses as a message of the system or the user",
    pattern:
      /(?:^|\n)[ \t]{0,8}(?:\[?(?:system|assistant|user|human)\]?[ \t]{0,4}:|<\|(?:im_start|system|user|assistant)\|>)/,
  },
  {
    what: "tells the model what to do when it calls tools of others",
    pattern:
      /\b(?:before|after|instead of|prior to|whenever|when)\b[^.!?\n]{0,30}\b(?:us(?:e|ing)|call(?:ing)?|invok(?:e|ing)|runn?(?:ing)?)\b[^.!?\n]{0,20}\b(?:any|all|every|other|another)\b[^.!?\n]{0,20}\btools?\b/,
  },
  {
    what: "names a file in which people keep secrets",
    pattern:
      /(?:\.ssh\/|\bid_(?:rsa|ed25519|ecdsa)\b|\.aws\/credentials|\/etc\/(?:passwd|shadow)\b|\bmcp\.json\b|\.(?:netrc|npmrc|pgpass)\b|\.env\b(?! ?(?:variable|file format)))/,
  },
  {
    what: "asks for the conversation, the prompt or a credential",
    pattern:
      /\b(?:send|include|pass|append|attach|copy|provide|exfiltrate|forward|put)\b[^.!?\n]{0,40}\b(?:conversation|chat history|system prompt|previous messages|private keys?|passwords?|access tokens?|api keys?)\b/,
  },
  {
    what: "has a long run of encoded data, which a model can decode",
    pattern: /[A-Za-z0-9+/]{256}/,
  },
];

/** Instructions to the model. */
export const instructionsToModel: Rule = {
  id: "instructions-to-model",
  severity: "warning",
  summary: "descriptions describe, and give no orders about anything else",
  hosts: [],
  sources: [
    SOURCES.poisoning,
    "https://lbeurerkellner.github.io/jekyll/update/2025/04/01/mcp-tool-poisoning.html",
    "https://www.safemcp.org/blog/safe-t1001-tool-poisoning",
  ],
  *text({ text, path }): Generator<Report> {
    // What is hidden between letters would hide the words from the patterns as well, and so would other forms of letters.
    const plain = cleanText(text).normalize("NFKC");
    const words = plain.toLowerCase();
    for (const { what, pattern, isError } of PATTERNS) {
      // Encoded data is told from a word by its case.
      if (!pattern.test(words) && !pattern.test(plain)) continue;
      yield {
        path,
        severity: isError === true ? "error" : "warning",
        message: `This text ${what}. A description says what a tool does: read it as a whole before you trust it.`,
      };
    }
  },
};
