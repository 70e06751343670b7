import { useEffect, useState } from "preact/hooks";

/** Where the page is: the view and all of its filters are in the URL. */
export interface PageLocation {
  /** The parts of the path, decoded: `["servers", "weather"]`. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

globalThis.addEventListener("popstate", tell);

/** Goes to another view. */
export function navigate(url: string): void {
  if (url === `${location.pathname}${location.search}`) return;
  history.pushState(null, "", url);
  globalThis.scrollTo(0, 0);
  tell();
}

/** Changes filters of the present view. Empty values go away. */
export function setQuery(changes: { readonly [name: string]: string | undefined }): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  history.replaceState(null, "", `${location.pathname}${text === "" ? "" : `?${text}`}`);
  tell();
}

/** The present location. The component is drawn again when it changes. */
export function useLocation(): PageLocation {
  const [, draw] = useState(0);
  useEffect(() => {
    const listener = (): void => draw((count) => count + 1);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
  const parts = location.pathname
    .split("/")
    .filter((part) => part !== "")
    .map(decode);
  return { parts, query: new URLSearchParams(location.search) };
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
