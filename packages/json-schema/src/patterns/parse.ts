import { setOfClass, setOfLiteral, testClass, testLiteral } from "./characters.ts";
import type { RegExpTree } from "./tree.ts";

/**
 * Thrown for a pattern that is not a regular expression, or cannot be matched in linear time. The message says why. It
 * leaves this package only as the `cause` of a `SchemaError`, which has the code.
 */
export class UnsupportedPattern extends Error {
  override readonly name: string = "UnsupportedPattern";
}

/** Deepest nesting of groups: deeper patterns would exhaust the stack. */
const MAX_DEPTH = 100;

const CLASS = /\[(?:\\[\s\S]|[^\]\\])*\]/y;
const ESCAPE =
  /\\(?:u\{[0-9a-f]+\}|ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|u[0-9a-f]{4}|x[0-9a-f]{2}|c[a-z]|p\{[^}]*\}|0\d*|[\s\S])/iy;
const GROUP = /\((?:\?(?:[:=!]|<[=!]|<[^>=!][^>]*>))?/y;
const QUANTIFIER = /([*+?])\??|\{(\d+)(,?)(\d*)\}\??/y;

/** Letters of escapes that match one character. The platform's engine decides which character. */
const CHARACTER_ESCAPES = "dDwWsSpPuxcfnrtv0";

/**
 * Parses a regular expression that the platform accepts under these flags. The platform's engine decides what single
 * characters and classes match, which takes constant time.
 */
export function parseRegExp(source: string, flags: string): RegExpTree {
  let at = 0;
  let depth = 0;
  return parseChoice();

  function parseChoice(): RegExpTree {
    if (++depth > MAX_DEPTH) throw new UnsupportedPattern(`groups nested more than ${MAX_DEPTH} deep`);
    const options = [parseSequence()];
    while (source[at] === "|") {
      at++;
      options.push(parseSequence());
    }
    depth--;
    return options.length === 1 && options[0] ? options[0] : { kind: "choice", options };
  }

  function parseSequence(): RegExpTree {
    const parts: RegExpTree[] = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") parts.push(parseQuantified());
    return parts.length === 1 && parts[0] ? parts[0] : { kind: "sequence", parts };
  }

  function parseQuantified(): RegExpTree {
    const body = parseAtom();
    const found = take(QUANTIFIER);
    if (!found) return body;
    const [, sign, min, comma, max] = found;
    if (sign) return { kind: "repeat", body, min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Infinity };
    const isOpen = comma === "," && max === "";
    return { kind: "repeat", body, min: Number(min), max: isOpen ? Infinity : Number(comma ? max : min) };
  }

  function parseAtom(): RegExpTree {
    switch (source[at]) {
      case "^":
        at++;
        return { kind: "assert", assertion: "start" };
      case "$":
        at++;
        return { kind: "assert", assertion: "end" };
      case ".":
        at++;
        return takeClass(".");
      case "(":
        return parseGroup();
      case "[":
        return takeClass(take(CLASS)?.[0] ?? "");
      case "\\":
        return parseEscape();
      default: {
        const codePoint = source.codePointAt(at) ?? 0;
        at += codePoint > 0xffff ? 2 : 1;
        return takeLiteral(codePoint);
      }
    }
  }

  function parseGroup(): RegExpTree {
    const opening = take(GROUP)?.[0] ?? "";
    if (opening === "(" && source[at] === "?") throw new UnsupportedPattern(`the group "(?${source[at + 1] ?? ""}"`);
    const body = parseChoice();
    at++;
    const look = /^\(\?(<?)([=!])$/.exec(opening);
    return look ? { kind: "look", body, behind: look[1] === "<", negated: look[2] === "!" } : body;
  }

  function parseEscape(): RegExpTree {
    const text = take(ESCAPE)?.[0] ?? "";
    const letter = text[1] ?? "";
    if (letter === "b") return { kind: "assert", assertion: "boundary" };
    if (letter === "B") return { kind: "assert", assertion: "no-boundary" };
    if (/[1-9k]/.test(letter)) throw new UnsupportedPattern(`the backreference "${text}"`);
    const isUnicodeOnly = /^\\(?:p|u\{)/i.test(text);
    if (CHARACTER_ESCAPES.includes(letter) && (flags === "u" || !isUnicodeOnly)) {
      return takeClass(text);
    }
    if (/[a-z]/i.test(letter)) throw new UnsupportedPattern(`the escape "${text}"`);
    return takeLiteral(letter.codePointAt(0) ?? 0);
  }

  function takeClass(text: string): RegExpTree {
    return { kind: "character", test: testClass(text, flags), set: setOfClass(text) };
  }

  function takeLiteral(codePoint: number): RegExpTree {
    return { kind: "character", test: testLiteral(codePoint), set: setOfLiteral(codePoint) };
  }

  function take(token: RegExp): RegExpExecArray | undefined {
    token.lastIndex = at;
    const found = token.exec(source);
    if (!found) return undefined;
    at = token.lastIndex;
    return found;
  }
}

/**
 * Finds the flags under which the platform accepts a pattern: `u`, as JSON Schema recommends, or else none, because many
 * patterns have escapes such as `\-`, which `u` refuses.
 */
export function findFlags(source: string): string {
  try {
    return new RegExp(source, "u").flags;
  } catch (cause) {
    try {
      return new RegExp(source).flags;
    } catch {
      throw new UnsupportedPattern(cause instanceof Error ? cause.message : String(cause), { cause });
    }
  }
}
