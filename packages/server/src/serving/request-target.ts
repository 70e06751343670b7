/** What a request asks for, and of whom where it says so itself. */
export interface RequestTarget {
  /** Path and query. */
  readonly path: string;
  /** Host and port, which then count instead of the `Host` header. */
  readonly authority: string | undefined;
}

/** The path of a target, without the query. */
export function pathOf(target: string): string {
  const query = target.indexOf("?");
  return query === -1 ? target : target.slice(0, query);
}

/** The part of a path that a framework took off before it routed the rest; empty if it did something else. */
export function mountOf(path: string, routedPath: string): string {
  if (path.endsWith(routedPath)) return path.slice(0, -routedPath.length);
  // Express routes the mount itself as the root.
  return routedPath === "/" ? path : "";
}

/** Whether a target is just a path, as nearly all are. */
export function isPath(target: string): boolean {
  return target.startsWith("/");
}

/**
 * Takes a request target apart. It is a path nearly always; the absolute form, which proxies send, is to be understood all
 * the same (RFC 9112, section 3.2.2).
 */
export function readTarget(target: string): RequestTarget {
  const absolute = isPath(target) ? null : /^https?:\/\/([^/?#]*)([^#]*)/i.exec(target);
  if (absolute === null) return { path: target, authority: undefined };
  const [, authority = "", rest = ""] = absolute;
  return { path: rest.startsWith("/") ? rest : `/${rest}`, authority };
}
