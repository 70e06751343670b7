/** For how long a document may be used without asking for it again (RFC 9111). */

/** A document that was read, as far as its freshness goes. */
export interface Freshness {
  /** The entity tag, by which the server can say that the document is still the same. */
  readonly etag: string | undefined;
  /** Until when the document may be used without asking, in milliseconds since 1970. */
  readonly freshUntil: number;
}

/** Nobody who publishes a card means more than this. */
const LONGEST_SECONDS = 7 * 24 * 3600;

/** Reads the freshness of a document off its response, which came just now. */
export function readFreshness(headers: Headers, now: number): Freshness {
  const directives = (headers.get("cache-control") ?? "").toLowerCase().split(",");
  const seconds = directives.map((directive) => /^\s*max-age\s*=\s*"?(\d+)"?\s*$/.exec(directive)?.[1]).find(Boolean);
  const isKept = directives.every((directive) => !/^\s*no-(?:cache|store)\b/.test(directive));
  const age = Number(/^\s*(\d+)\s*$/.exec(headers.get("age") ?? "")?.[1] ?? 0);
  const left = isKept ? Math.min(Number(seconds ?? 0), LONGEST_SECONDS) - age : 0;
  return { etag: headers.get("etag") ?? undefined, freshUntil: now + Math.max(0, left) * 1000 };
}
