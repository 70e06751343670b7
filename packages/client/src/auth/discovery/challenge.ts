/**
 * Reads the challenges of a `WWW-Authenticate` header (RFC 9110, 11.6.1). Servers send several schemes in one line, quoted
 * and bare values, any case, and blanks around `=`. The work is linear in the length of the header.
 */

/** One challenge: a scheme with its parameters. */
export interface Challenge {
  /** The scheme in lower case. */
  readonly scheme: string;
  /** The values of each parameter by its name in lower case, in the order in which they came. */
  readonly parameters: ReadonlyMap<string, readonly string[]>;
}

/** How much of a header is read, in characters. */
const MAX_LENGTH = 16 * 1024;

const TOKEN = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y;
const TOKEN68 = /[0-9A-Za-z._~+/-]+=*(?=\s*(?:,|$))/y;
const BLANKS = /[ \t]*/y;
const SEPARATORS = /[ \t,]*/y;

/** Reads a header. Whatever is not a challenge ends the reading: what came before it still counts. */
export function parseChallenges(header: string | undefined): readonly Challenge[] {
  const reader = new Reader((header ?? "").slice(0, MAX_LENGTH));
  const challenges: Challenge[] = [];
  for (;;) {
    reader.skip(SEPARATORS);
    const scheme = reader.take(TOKEN);
    if (scheme === undefined) return challenges;
    challenges.push({ scheme: scheme.toLowerCase(), parameters: readParameters(reader) });
  }
}

function readParameters(reader: Reader): Map<string, string[]> {
  const parameters = new Map<string, string[]>();
  reader.skip(BLANKS);
  // Schemes such as `Negotiate` have one bare text in place of parameters. A name with a value is no such text.
  if (!reader.isParameter() && reader.take(TOKEN68) !== undefined) return parameters;
  for (;;) {
    const start = reader.position;
    reader.skip(SEPARATORS);
    if (!reader.isParameter()) {
      // The next challenge begins here.
      reader.position = start;
      return parameters;
    }
    const name = reader.take(TOKEN)!.toLowerCase();
    reader.skip(BLANKS);
    reader.position += 1;
    reader.skip(BLANKS);
    const value = reader.takeQuoted() ?? reader.take(TOKEN) ?? "";
    const values = parameters.get(name);
    if (values === undefined) parameters.set(name, [value]);
    else values.push(value);
  }
}

class Reader {
  position = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.position += found.length;
    return found;
  }

  skip(pattern: RegExp): void {
    this.take(pattern);
  }

  /** Whether a name and a `=` come next. A `=` that is the padding of a bare text does not count. */
  isParameter(): boolean {
    const start = this.position;
    const isNamed = this.take(TOKEN) !== undefined;
    this.skip(BLANKS);
    const rest = this.#text.slice(this.position, this.position + 2);
    this.position = start;
    return isNamed && rest.startsWith("=") && rest !== "==" && rest !== "=," && rest !== "=";
  }

  /** Takes a quoted string, without its escapes. One that never ends reaches to the end of the header. */
  takeQuoted(): string | undefined {
    const text = this.#text;
    if (text[this.position] !== '"') return undefined;
    let value = "";
    let from = this.position + 1;
    let at = from;
    for (; at < text.length && text[at] !== '"'; at += 1) {
      if (text[at] !== "\\") continue;
      value += text.slice(from, at);
      from = at + 1;
      at += 1;
    }
    value += text.slice(from, at);
    this.position = at + 1;
    return value;
  }
}

/** The parts of a refusal that an OAuth client acts on. */
export interface OAuthChallenge {
  /** The URLs of the metadata of the resource. Some servers send several: they are tried in order. */
  readonly metadataUrls: readonly string[];
  readonly scopes: readonly string[] | undefined;
  readonly error: string | undefined;
  /** Whether the server takes tokens that are bound to a key, and whether it takes no others. */
  readonly takesDpop: boolean;
  readonly takesBearer: boolean;
  /** Whether the server only wants a proof with the nonce that came along. */
  readonly wantsNonce: boolean;
}

/** Reads what the `Bearer` and `DPoP` challenges of a refusal say. */
export function readOAuthChallenge(header: string | undefined): OAuthChallenge {
  const challenges = parseChallenges(header).filter(({ scheme }) => scheme === "bearer" || scheme === "dpop");
  const all = (name: string): string[] => challenges.flatMap(({ parameters }) => parameters.get(name) ?? []);
  const dpop = challenges.filter(({ scheme }) => scheme === "dpop");
  return {
    metadataUrls: [...new Set(all("resource_metadata"))].slice(0, 4),
    scopes: splitScopes(all("scope")[0]),
    error: all("error")[0],
    takesDpop: dpop.length > 0,
    takesBearer: challenges.length > dpop.length,
    wantsNonce: dpop.some(({ parameters }) => parameters.get("error")?.includes("use_dpop_nonce") === true),
  };
}

/** The most scopes that are read of a server. */
const MAX_SCOPES = 256;

/** Splits a list of scopes (RFC 6749, 3.3). `undefined` if there are none, so that the parameter is left out. */
export function splitScopes(text: unknown): readonly string[] | undefined {
  if (typeof text !== "string") return undefined;
  const scopes = [...new Set(text.split(" "))].filter((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
  return scopes.length === 0 ? undefined : scopes.slice(0, MAX_SCOPES);
}
