/** A path that leaves its directory, or that the file system would read differently than the URI says. */
const SUSPICIOUS = /(?:^|[/\\])\.\.(?:$|[/\\])|\0/;
const SUSPICIOUS_BELOW = new RegExp(String.raw`${SUSPICIOUS.source}|^(?:[/\\]|[a-z]:)`, "i");

/**
 * Whether the values of a `file:` template could lead out of the directory they are meant for, once a handler joins
 * them to a path (resources page, security considerations). Such URIs are treated as if nothing was there.
 */
export function holdsTraversal(template: string, uri: string, values: object): boolean {
  if (!/^file:/i.test(uri)) return false;
  // Where the template names a directory, an absolute path would replace it: `path.resolve` forgets what came before.
  const pattern = /^file:\/*\{/i.test(template) ? SUSPICIOUS : SUSPICIOUS_BELOW;
  return holds(values, pattern);
}

function holds(value: unknown, pattern: RegExp): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some((item) => holds(item, pattern));
  return typeof value === "string" && pattern.test(value);
}
