/** A piece of a text whose references are filled in. */
export interface FilledPiece {
  readonly text: string;
  readonly isReference: boolean;
}

/** Scheme, host and port of a URL, and the name and password that may be in front of the host. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?[^/?#]*/i;
const CREDENTIALS = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)@/i;

/** A part of a URL with as many characters is a key rather than a word, and hidden also where it stands alone. */
const SHORTEST_KEY = 20;

/**
 * The parts of a text that nobody may see: every value of a reference, whatever the text is for, and the text as a whole, if it is
 * none with an origin. The origin of a URL is no secret, wherever it comes from: it is what a request is sent to, and answers are full
 * of links to it. Everything behind it is, as in the URL of a webhook.
 */
export function hiddenValues(pieces: readonly FilledPiece[]): readonly string[] {
  if (!pieces.some(({ isReference }) => isReference)) return [];
  const whole = pieces.map(({ text }) => text).join("");
  const origin = ORIGIN.exec(whole)?.[0].length;
  if (origin === undefined) return [whole, ...pieces.filter(({ isReference }) => isReference).map(({ text }) => text)];
  const hidden: string[] = [...credentialsOf(whole)];
  let start = 0;
  for (const { text, isReference } of pieces) {
    if (isReference && start >= origin) hidden.push(text);
    else if (isReference && start + text.length > origin) hidden.push(...keysIn(text.slice(origin - start)));
    start += text.length;
  }
  return hidden;
}

/** The parts of a header, or of an environment variable, that is a credential by its name: `Authorization: Bearer x`. */
export function hiddenLiteral(text: string): readonly string[] {
  return [text, text.slice(text.indexOf(" ") + 1)];
}

/** Name and password, as in the URL of a database. */
function credentialsOf(url: string): readonly string[] {
  const credentials = CREDENTIALS.exec(url)?.[1];
  if (credentials === undefined) return [];
  const colon = credentials.indexOf(":");
  const password = credentials.slice(colon + 1);
  return colon === -1 ? [credentials] : [password, decode(password)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What is behind an origin: as a whole, and in the parts that are long enough to be keys. */
function keysIn(rest: string): readonly string[] {
  const parts = rest.split(/[/?&=#;]/).filter(({ length }) => length >= SHORTEST_KEY);
  return [rest.replace(/^[/?#]+/, ""), ...parts];
}
