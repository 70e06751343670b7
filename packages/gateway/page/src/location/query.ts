/** Where the page is: the view and all of its filters are in the URL. */
export interface PageLocation {
  /** The parts of the path, decoded: `["servers", "weather"]`. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

/** Reads the path and the query of a URL. */
export function readLocation(path: string, search: string): PageLocation {
  const parts = path
    .split("/")
    .filter((part) => part !== "")
    .map(decode);
  return { parts, query: new URLSearchParams(search) };
}

/** A query with other filters, with its question mark. Empty values go away. */
export function changeQuery(search: string, changes: { readonly [name: string]: string | undefined }): string {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/** A path of the page of parts that may have any characters. */
export function pathTo(...parts: readonly string[]): string {
  return `/${parts.map(encodeURIComponent).join("/")}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
