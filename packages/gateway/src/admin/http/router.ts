import { AdminError, invalid, notFound } from "./admin-error.ts";
import type { AdminRequest } from "./request.ts";
import type { Reply } from "./reply.ts";

/** A method of HTTP that a route serves. Only `GET` must change nothing. */
type RouteMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One path of the admin API. */
export interface Route {
  readonly method: RouteMethod;
  /** Below `/api/v1/`. A part that begins with a colon takes any text: `servers/:slug`. */
  readonly path: string;
  run(request: AdminRequest): Reply | Promise<Reply>;
}

/** A route that was found, and the parts of the path that it names. */
export interface Match {
  readonly route: Route;
  readonly params: { readonly [name: string]: string };
}

/** Makes a function that finds the route of a path. It throws an `AdminError` if there is none. */
export function createRouter(routes: readonly Route[]): (method: string, path: string) => Match {
  const table = routes.map((route) => ({ route, parts: route.path.split("/") }));
  return (method, path) => {
    const parts = path.split("/").map(decode);
    const fitting = table.filter((entry) => fits(entry.parts, parts));
    if (fitting.length === 0) throw notFound(`The admin API has no ${JSON.stringify(path.slice(0, 100))}.`);
    const asked = method === "HEAD" ? "GET" : method;
    // Fixed parts come before named ones: `calls/export` is not the call of the id `export`.
    const found = fitting
      .filter(({ route }) => route.method === asked)
      .toSorted((left, right) => countNames(left.parts) - countNames(right.parts))[0];
    if (found === undefined) {
      const allowed = [...new Set(fitting.map(({ route }) => route.method))].join(", ");
      throw new AdminError(405, "method_not_allowed", `Here, only ${allowed} can be used.`, { allow: allowed });
    }
    const params = Object.fromEntries(
      found.parts.flatMap((part, index) => (part.startsWith(":") ? [[part.slice(1), parts[index] ?? ""]] : [])),
    ) as { [name: string]: string };
    return { route: found.route, params };
  };
}

function fits(pattern: readonly string[], parts: readonly string[]): boolean {
  if (pattern.length !== parts.length) return false;
  return pattern.every((part, index) => (part.startsWith(":") ? parts[index] !== "" : part === parts[index]));
}

function countNames(parts: readonly string[]): number {
  return parts.filter((part) => part.startsWith(":")).length;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalid("The path has a percent sign that is not followed by two hexadecimal digits of UTF-8.");
  }
}
