import { cleanText, expectFunction, expectLimit, expectOptions, isObject } from "@toolwire/protocol/internal";
import type { ServerMiddleware } from "../define/middleware.ts";

/** The options of {@link sanitizeOutput}. */
export interface SanitizeOptions {
  /**
   * The most characters in one text of a result, counted in UTF-16 code units. Longer texts are cut off, with a note that
   * says so; no character is cut in two. Default: no limit.
   */
  readonly maxTextLength?: number | undefined;
  /** A rule of your own, applied to each text last. */
  readonly clean?: ((text: string) => string) | undefined;
}

/** The methods whose results carry foreign text to a model. */
const METHODS = ["tools/call", "resources/read", "prompts/get"];

/**
 * Middleware that removes characters from results that could deceive people or models: terminal escapes, control
 * characters, reordering marks and invisible characters. Keys and binary data stay as they are. Joiners and selectors stay where the
 * letters and emoji beside them need them.
 *
 * It cleans the results of `tools/call`, `resources/read` and `prompts/get`, and with them the questions to modern clients.
 * It does not clean other messages that are sent while a request is served: `ctx.log`, `ctx.progress`, `ctx.notify`, questions to
 * legacy clients, and the messages of `RpcError`.
 */
export function sanitizeOutput(options: SanitizeOptions = {}): ServerMiddleware {
  const { maxTextLength } = expectOptions("sanitizeOutput", options, { maxTextLength: true, clean: true });
  const further = expectFunction("clean", options.clean ?? ((text: string) => text));
  const longest = expectLimit("maxTextLength", maxTextLength, Infinity);
  const clean = (text: string): string => further(cleanText(text));
  const shorten = (text: string): string => {
    const plain = clean(text);
    if (plain.length <= longest) return plain;
    // A pair of surrogates is one character, and is not cut in two.
    const end = (plain.codePointAt(longest - 1) ?? 0) > 0xffff ? longest - 1 : longest;
    return `${plain.slice(0, end)}\n[${plain.length - end} more characters were left out]`;
  };
  return async (call, next) => {
    const result = await next();
    return METHODS.includes(call.method) ? cleanResult(result, { clean, shorten }) : result;
  };
}

/** How texts are cleaned: `shorten` for the texts of content, `clean` for all others. */
interface Cleaner {
  readonly clean: (text: string) => string;
  readonly shorten: (text: string) => string;
}

function cleanResult(result: object, cleaner: Cleaner): object {
  const { content, structuredContent, requestState, ...rest } = result as Members;
  const cleaned = cleanContent(rest, cleaner) as Members;
  if (content !== undefined) cleaned["content"] = cleanContent(content, cleaner);
  if (structuredContent !== undefined) {
    const data = cleanData(structuredContent, cleaner.clean);
    cleaned["structuredContent"] = data;
    // The text that repeats it as JSON escapes the characters to remove, so it is written anew.
    if (isMirror(content, structuredContent)) {
      cleaned["content"] = [{ type: "text", text: cleaner.shorten(JSON.stringify(data)) }];
    }
  }
  return requestState === undefined ? cleaned : { ...cleaned, requestState };
}

type Members = { [key: string]: unknown };

function isMirror(content: unknown, structured: unknown): boolean {
  if (!Array.isArray(content) || content.length !== 1) return false;
  const [block] = content as [Members];
  return block["text"] === JSON.stringify(structured);
}

/** Cleans content blocks, messages and contents. Their texts are also shortened; their base64 is left alone. */
function cleanContent(value: unknown, cleaner: Cleaner): unknown {
  if (typeof value === "string") return cleaner.clean(value);
  if (Array.isArray(value)) return value.map((item) => cleanContent(item, cleaner));
  if (!isObject(value)) return value;
  const isBinary = value["type"] === "image" || value["type"] === "audio";
  const isContents = typeof value["uri"] === "string";
  return mapMembers(value, (member, key) => {
    if (typeof member !== "string") return cleanContent(member, cleaner);
    if ((key === "data" && isBinary) || (key === "blob" && isContents)) return member;
    return key === "text" ? cleaner.shorten(member) : cleaner.clean(member);
  });
}

/** Cleans every text in a value of unknown shape. */
function cleanData(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((item) => cleanData(item, clean));
  // A value with `toJSON`, such as a date, is cleaned in its JSON form.
  if (writesItself(value)) return cleanData(value.toJSON(), clean);
  return isObject(value) ? mapMembers(value, (member) => cleanData(member, clean)) : value;
}

function writesItself(value: unknown): value is { toJSON(): unknown } {
  return typeof (value as { toJSON?: unknown } | null | undefined)?.toJSON === "function";
}

function mapMembers(value: object, change: (member: unknown, key: string) => unknown): object {
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, change(member, key)]));
}
