/** Punycode (RFC 3492): how a label of letters of any script is written in letters, digits and hyphens of ASCII. */

const BASE = 36;
const FIRST_THRESHOLD = 1;
const LAST_THRESHOLD = 26;
const SKEW = 38;
const DAMP = 700;
const INITIAL_BIAS = 72;
const INITIAL_CODE = 128;
const MAX_CODE = 0x10ffff;

const DIGITS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Encodes a text, without the prefix `xn--`. Takes quadratic time, so it is for labels, which are short. */
export function encodePunycode(text: string): string {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const basic = codes.filter((code) => code < INITIAL_CODE);
  let encoded = String.fromCodePoint(...basic) + (basic.length > 0 ? "-" : "");
  let handled = basic.length;
  let delta = 0;
  let bias = INITIAL_BIAS;
  for (let code = INITIAL_CODE; handled < codes.length; code++, delta++) {
    const next = Math.min(...codes.filter((each) => each >= code));
    delta += (next - code) * (handled + 1);
    code = next;
    for (const each of codes) {
      if (each < code) delta++;
      if (each !== code) continue;
      encoded += encodeNumber(delta, bias);
      bias = adapt(delta, handled + 1, handled === basic.length);
      delta = 0;
      handled++;
    }
  }
  return encoded;
}

/** Decodes a text without the prefix `xn--`, or returns `undefined` if it is not Punycode. Takes quadratic time as well. */
export function decodePunycode(text: string): string | undefined {
  const hyphen = text.lastIndexOf("-");
  const codes = Array.from(text.slice(0, Math.max(hyphen, 0)), (character) => character.codePointAt(0) ?? 0);
  let position = hyphen + 1;
  let code = INITIAL_CODE;
  let bias = INITIAL_BIAS;
  let index = 0;
  while (position < text.length) {
    const before = index;
    let weight = 1;
    for (let digits = BASE; ; digits += BASE) {
      const digit = DIGITS.indexOf(text.charAt(position++).toLowerCase() || " ");
      index += digit * weight;
      if (digit === -1 || index > Number.MAX_SAFE_INTEGER) return undefined;
      const threshold = thresholdAt(digits, bias);
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const length = codes.length + 1;
    bias = adapt(index - before, length, before === 0);
    code += Math.floor(index / length);
    if (code > MAX_CODE) return undefined;
    index %= length;
    codes.splice(index++, 0, code);
  }
  return String.fromCodePoint(...codes);
}

function encodeNumber(number: number, bias: number): string {
  let encoded = "";
  let rest = number;
  for (let digits = BASE; ; digits += BASE) {
    const threshold = thresholdAt(digits, bias);
    if (rest < threshold) return encoded + DIGITS.charAt(rest);
    encoded += DIGITS.charAt(threshold + ((rest - threshold) % (BASE - threshold)));
    rest = Math.floor((rest - threshold) / (BASE - threshold));
  }
}

function thresholdAt(digits: number, bias: number): number {
  return Math.min(Math.max(digits - bias, FIRST_THRESHOLD), LAST_THRESHOLD);
}

function adapt(delta: number, length: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2));
  rest += Math.floor(rest / length);
  let bias = 0;
  for (; rest > ((BASE - FIRST_THRESHOLD) * LAST_THRESHOLD) / 2; bias += BASE) {
    rest = Math.floor(rest / (BASE - FIRST_THRESHOLD));
  }
  return bias + Math.floor(((BASE - FIRST_THRESHOLD + 1) * rest) / (rest + SKEW));
}
