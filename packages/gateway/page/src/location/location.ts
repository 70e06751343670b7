import { useEffect, useState } from "preact/hooks";
import { changeQuery, readLocation, type PageLocation } from "./query.ts";

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
  history.replaceState(null, "", `${location.pathname}${changeQuery(location.search, changes)}`);
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
  return readLocation(location.pathname, location.search);
}
