import { isObject } from "@toolwire/protocol";
import type { Middleware } from "./middleware.ts";

/** What to take out of texts. */
export interface SanitizeOptions {
  /** The most characters in one text of a tool's answer; what is beyond is cut off, and said to be. Default: no limit. */
  readonly maxTextLength?: number | undefined;
  /** A further rule of your own, applied to each text last. */
  readonly clean?: ((text: string) => string) | undefined;
}

/** The requests whose results carry texts of others, on their way to a model. */
const METHODS = ["tools/call", "resources/read", "prompts/get"];

/**
 * Control characters except tab and line breaks; marks that reorder text on screen; and the invisible tag characters
 * (U+E0000 to U+E007F), which models read and people do not.
 */
const INVISIBLE = /(?![\t\n\r])\p{Cc}|[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/**
 * Takes out of results what could deceive the people and models that read them: terminal escapes, control characters,
 * reordering marks and invisible characters. Keys and binary data stay as they are.
 */
export function sanitizeOutput(options: SanitizeOptions = {}): Middleware {
  const { maxTextLength = Infinity, clean: further } = options;
  const escapes = matchEscapes();
  const clean = (text: string): string => {
    const plain = text.replaceAll(escapes, "").replaceAll(INVISIBLE, "");
    return further === undefined ? plain : further(plain);
  };
  const shorten = (text: string): string => {
    const plain = clean(text);
    if (plain.length <= maxTextLength) return plain;
    return `${plain.slice(0, maxTextLength)}\n[${plain.length - maxTextLength} more characters were left out]`;
  };
  return async (call, next) => {
    const result = await next();
    return METHODS.includes(call.method) ? (cleanMember(result, clean, shorten) as object) : result;
  };
}

/** Terminal escape sequences: CSI, OSC up to its end, and the two-character ones (ECMA-48). */
function matchEscapes(): RegExp {
  return new RegExp(
    String.raw`\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])|\u009b[0-?]*[ -/]*[@-~]`,
    "g",
  );
}

/** Cleans all texts in a value. The `text` of content is also shortened; base64 is neither. */
function cleanMember(value: unknown, clean: (text: string) => string, shorten: (text: string) => string): unknown {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((item) => cleanMember(item, clean, shorten));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (typeof member !== "string") return [key, cleanMember(member, clean, shorten)];
      if (key === "data" || key === "blob" || key === "requestState") return [key, member];
      return [key, key === "text" ? shorten(member) : clean(member)];
    }),
  );
}
