/**
 * Clears credentials from texts of peers. A server, or a proxy in front of it, may repeat a token in any spelling: as it is, in a URL,
 * in a form, in JSON, in HTML, as base64 or in hexadecimal digits, and several of these on top of each other.
 */

/** The text in the place of a credential. */
const CLEARED = "…";

/** Shorter texts are parts of ordinary words. */
const MIN_LENGTH = 4;

/** Shorter credentials are not looked for as base64 or digits: that would find ordinary words. */
const MIN_ENCODED = 6;

/** How many spellings may be on top of each other. */
const MAX_LAYERS = 3;

/** Puts dots in the place of every credential in a text. */
export function clearCredentials(text: string, secrets: Iterable<string>): string {
  return credentialFilter(secrets)(text);
}

/** Makes a function that clears the same credentials from many texts. */
export function credentialFilter(secrets: Iterable<string>): (text: string) => string {
  const needles = [...new Set([...secrets].flatMap(decodedForms).flatMap(spellingsOf))];
  if (needles.length === 0) return (text) => text;
  return (text) => {
    const found: Range[] = [];
    let layer: Layer | undefined = layerOf(text);
    for (let depth = 0; layer !== undefined && depth <= MAX_LAYERS; depth += 1) {
      for (const needle of needles) findAll(layer, needle, found);
      layer = decode(layer);
    }
    return found.length === 0 ? text : cut(text, found);
  };
}

type Range = readonly [start: number, end: number];

/** A text with some escapes decoded, and the place of its parts in the text that was given. */
interface Layer {
  readonly text: string;
  readonly place: (start: number, end: number) => Range;
}

/** A credential, and what is left of it when what looks like escapes in it is decoded together with those around it. */
function decodedForms(secret: string): string[] {
  const forms: string[] = [];
  let layer: Layer | undefined = layerOf(secret);
  for (let depth = 0; layer !== undefined && depth <= MAX_LAYERS; depth += 1) {
    forms.push(layer.text);
    layer = decode(layer);
  }
  return forms;
}

function layerOf(text: string): Layer {
  return { text, place: (start, end) => [start, end] };
}

/** A credential as it is and in spellings that are no escapes of single characters. */
function spellingsOf(secret: string): string[] {
  if (secret.length < MIN_LENGTH) return [];
  const bytes = new TextEncoder().encode(secret);
  const binary = String.fromCharCode(...bytes);
  // In a form, blanks are plus signs. Others fold white space. A decoder may take the bytes of UTF-8 for characters.
  const texts = [secret, secret.replaceAll(" ", "+"), secret.replaceAll(/\s+/g, " "), binary];
  if (secret.length < MIN_ENCODED) return texts;
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const encoded = [0, 1, 2].map((offset) => base64Of(binary, offset));
  const forUrls = encoded.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  return [...texts, ...encoded, ...forUrls, digits, digits.toUpperCase()];
}

/** The characters of base64 that depend on these bytes alone, when so many others come before them. */
function base64Of(binary: string, offset: number): string {
  const first = Math.ceil((offset * 8) / 6);
  return btoa("\0".repeat(offset) + binary).slice(first, Math.floor(((offset + binary.length) * 8) / 6));
}

function findAll({ text, place }: Layer, needle: string, found: Range[]): void {
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) {
    found.push(place(at, at + needle.length));
  }
}

/** The escapes of URLs, of JSON and other languages, and of HTML. */
const ESCAPE =
  /%([0-9a-f]{2})|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|\\([\\/"'])|&#x([0-9a-f]{1,6});|&#(\d{1,7});|&(amp|lt|gt|quot|apos|sol|plus|equals|lowbar|period|colon|nbsp);/gi;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  sol: "/",
  plus: "+",
  equals: "=",
  lowbar: "_",
  period: ".",
  colon: ":",
  nbsp: " ",
};

/** Decodes the escapes in a text once; `undefined` if it has none. */
function decode({ text, place }: Layer): Layer | undefined {
  /** For each escape: its place in the decoded text, and where it begins and ends in this one. */
  const places: number[] = [];
  const parts: string[] = [];
  let length = 0;
  let last = 0;
  for (const match of text.matchAll(ESCAPE)) {
    const decoded = characterOf(match);
    const { index } = match;
    parts.push(text.slice(last, index), decoded);
    length += index - last;
    // A character beyond the first plane has two units, which both stand for the escape.
    for (let unit = 0; unit < decoded.length; unit += 1) places.push(length + unit, index, index + match[0].length);
    length += decoded.length;
    last = index + match[0].length;
  }
  if (places.length === 0) return undefined;
  parts.push(text.slice(last));
  const placeOf = (position: number): Range => {
    const escape = lastUpTo(places, position);
    if (escape < 0) return [position, position + 1];
    const [at, start, end] = [places[escape]!, places[escape + 1]!, places[escape + 2]!];
    return at === position ? [start, end] : [end + position - at - 1, end + position - at];
  };
  return { text: parts.join(""), place: (start, end) => place(placeOf(start)[0], placeOf(end - 1)[1]) };
}

/** The index of the last escape that is not behind a position; -1 if there is none. */
function lastUpTo(places: readonly number[], position: number): number {
  let [low, high] = [0, places.length / 3];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle * 3]! <= position) low = middle + 1;
    else high = middle;
  }
  return (low - 1) * 3;
}

function characterOf([whole, ...groups]: RegExpMatchArray): string {
  const [percent, unicode, hex, escaped, entityHex, entity, name] = groups;
  if (escaped !== undefined) return escaped;
  if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
  const code = entity === undefined ? Number.parseInt((percent ?? unicode ?? hex ?? entityHex)!, 16) : Number(entity);
  return code > 0x10ffff ? whole : String.fromCodePoint(code);
}

function cut(text: string, found: Range[]): string {
  let [cleared, last] = ["", 0];
  for (const [start, end] of found.toSorted(([one], [other]) => one - other)) {
    if (end <= last) continue;
    // What overlaps, or follows at once, is one gap.
    if (start > last || last === 0) cleared += `${text.slice(last, start)}${CLEARED}`;
    last = end;
  }
  return cleared + text.slice(last);
}
