/**
 * Host names in letters of all scripts (IDNA 2008, RFC 5890 to 5893), by the Unicode tables of the platform. These have the
 * category and script of a character, but neither its joining type nor its direction; ranges and scripts approximate those.
 */

/* Punycode (RFC 3492) writes a label of letters of any script in letters, digits and hyphens of ASCII. */

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

const PREFIX = "xn--";

/** Longest label in ASCII (RFC 1035, section 2.3.4). A character of another script takes at least one character there. */
const MAX_LABEL_LENGTH = 63;

/** Signs that join two consonants of a script of India or its neighbours (canonical combining class 9). */
const VIRAMA =
  "[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0e3a\u0eba\u0f84\u1039\u103a\u1714\u1715\u1734\u17d2" +
  "\u1a60\u1b44\u1baa\u1bab\u1bf2\u1bf3\u2d7f\ua806\ua82c\ua8c4\ua953\ua9c0\uaaf6\uabed\u{10a3f}\u{11046}\u{11070}\u{1107f}" +
  "\u{110b9}\u{11133}\u{11134}\u{111c0}\u{11235}\u{112ea}\u{1134d}\u{11442}\u{114c2}\u{115bf}\u{1163f}\u{116b6}\u{1172b}" +
  "\u{11839}\u{1193d}\u{1193e}\u{119e0}\u{11a34}\u{11a47}\u{11a99}\u{11c3f}\u{11d44}\u{11d45}\u{11d97}\u{11f41}\u{11f42}]";

/** Letters of scripts that join in writing. */
const CURSIVE =
  "(?:(?=\\p{L})[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mandaic}\\p{Script=Nko}\\p{Script=Mongolian}" +
  "\\p{Script=Phags_Pa}\\p{Script=Adlam}\\p{Script=Hanifi_Rohingya}\\p{Script=Manichaean}\\p{Script=Sogdian}])";

/** The rules for labels in letters of all scripts. */
interface LabelRules {
  readonly allowed: RegExp;
  readonly forbidden: readonly RegExp[];
}

let rules: LabelRules | undefined;

/**
 * Makes the rules on first use: classes of Unicode take milliseconds, and few programs need them. Literals would be read when
 * the module is loaded.
 */
function labelRules(): LabelRules {
  rules ??= {
    // RFC 5892, section 2: letters, digits and marks, the exceptions of section 2.6, and characters with rules for context.
    allowed: unicode(
      String.raw`^[a-z\d\p{Ll}\p{Lo}\p{Lm}\p{Nd}\p{Mn}\p{Mc}\u200c-\u200d\u06fd\u06fe\u0f0b\u3007\u00b7\u0375\u05f3\u05f4\u30fb-]+$`,
    ),
    forbidden: [
      // Exceptions, marks for symbols, musical notation, and old letters of Hangul.
      unicode(
        String.raw`[\u302e-\u302f\u3031-\u3035\u303b\u0640\u07fa\u1100-\u11ff\ua960-\ua97c\ud7b0-\ud7fb]|[\u20d0-\u20ff\u{1d100}-\u{1d24f}]`,
      ),
      // Invisible characters.
      unicode(String.raw`(?![\u200c\u200d])[\p{Default_Ignorable_Code_Point}\p{White_Space}]`),
      // RFC 5891, section 4.2.3: no hyphen first, last, or third and fourth, and no mark first.
      unicode(String.raw`^-|-$|^..--|^\p{M}`),
      // Characters in a context that is not allowed (RFC 5892, appendix A): the middle dot of Catalan, the Greek keraia, geresh
      // and gershayim of Hebrew, the middle dot of Katakana, and digits of Arabic beside their Eastern forms.
      unicode(String.raw`(?<!l)\u00b7|\u00b7(?!l)`),
      unicode(String.raw`\u0375(?!\p{Script=Greek})`),
      unicode(String.raw`(?<!\p{Script=Hebrew})[\u05f3\u05f4]`),
      unicode(
        String.raw`^[^\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]*\u30fb[^\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]*$`,
      ),
      unicode(String.raw`[\u0660-\u0669].*[\u06f0-\u06f9]|[\u06f0-\u06f9].*[\u0660-\u0669]`),
      unicode(`(?<!${VIRAMA})\u200d`),
      unicode(`(?<!${VIRAMA})(?:(?<!${CURSIVE}\\p{Mn}*)\u200c|\u200c(?!\\p{Mn}*${CURSIVE}))`),
    ],
  };
  return rules;
}

function unicode(pattern: string): RegExp {
  return new RegExp(pattern, "u");
}

/** Writes a label of a host name in ASCII. Returns `undefined` if it cannot be one. */
export function toAsciiLabel(label: string): string | undefined {
  const isTooLong = label.length > 2 * MAX_LABEL_LENGTH;
  if (isTooLong || !isUnicodeLabel(label)) return undefined;
  const encoded = PREFIX + encodePunycode(label);
  return encoded.length > MAX_LABEL_LENGTH ? undefined : encoded;
}

/** Whether an ASCII label claims to encode a label in another script. */
export function isEncodedLabel(label: string): boolean {
  return label.slice(0, PREFIX.length).toLowerCase() === PREFIX;
}

/** Decodes an encoded label. Returns `undefined` if it is invalid, or not the canonical encoding. */
export function decodeLabel(label: string): string | undefined {
  const lowerCase = label.toLowerCase();
  const decoded = decodePunycode(lowerCase.slice(PREFIX.length));
  return decoded !== undefined && toAsciiLabel(decoded) === lowerCase ? decoded : undefined;
}

function isUnicodeLabel(label: string): boolean {
  return (
    // Refuses capitals, ligatures and other characters that normalization replaces.
    label === label.normalize("NFKC").toLowerCase().normalize("NFKC") &&
    /[^\0-\x7f]/.test(label) &&
    labelRules().allowed.test(label) &&
    !labelRules().forbidden.some((rule) => rule.test(label))
  );
}

/**
 * Whether labels in scripts of different directions are unambiguous wherever they are displayed (RFC 5893, section 2). Names
 * without a right-to-left script always are.
 */
export function isDirectionClear(labels: readonly string[]): boolean {
  const directions = labels.map((label) => Array.from(label, directionOf).join(""));
  if (!directions.some((each) => /[RA]/.test(each))) return true;
  return directions.every((each) =>
    /^R[REANo]*$/.test(each)
      ? /[REA]N*$/.test(each) && !/E.*A|A.*E/.test(each)
      : /^L[LENo]*$/.test(each) && /[LE]N*$/.test(each),
  );
}

/** R: right to left; L: left to right; E: digits of Europe; A: digits of Arabic; N: marks; o: others. */
function directionOf(character: string): string {
  if (/\p{Mn}/u.test(character)) return "N";
  if (/[\d\u06f0-\u06f9]/.test(character)) return "E";
  if (/[\u0660-\u0669\u{10d30}-\u{10d39}]/u.test(character)) return "A";
  if (/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u.test(character)) return "R";
  return /[\p{L}\p{N}\p{Mc}]/u.test(character) ? "L" : "o";
}
