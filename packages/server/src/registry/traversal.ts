/** A path that leaves its directory, or that the file system would read differently than the URI says. */
const SUSPICIOUS = /(?:^|[/\\])\.\.(?:$|[/\\])|\0/;

/**
 * Whether the values of a `file:` template could lead out of the directory they are meant for, once a handler joins
 * them to a path (resources page, security considerations). Such URIs are treated as if nothing was there.
 */
export function holdsTraversal(uri: string, values: object): boolean {
  return /^file:/i.test(uri) && Object.values(values).some((value) => [value].flat().some(isSuspicious));
}

function isSuspicious(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some(isSuspicious);
  return typeof value === "string" && SUSPICIOUS.test(value);
}
