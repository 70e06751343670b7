/** A window that was opened by a page. */
export interface OpenedWindow {
  readonly closed: boolean;
  /** The page that opened it, which it can send elsewhere. `null` takes that away from it. */
  opener: unknown;
  readonly location: { href: string };
  close(): void;
}

/** The parts of a page that logins use. The compiler knows only what pages and workers have in common. */
export interface Page {
  readonly location: {
    readonly href: string;
    readonly origin: string;
    readonly pathname: string;
    assign(url: URL): void;
  };
  readonly history: { readonly state: unknown; replaceState(state: unknown, unused: string, url: string | URL): void };
  readonly sessionStorage: {
    readonly length: number;
    key(index: number): string | null;
    getItem(key: string): string | null;
    setItem(key: string, value: string): void;
    removeItem(key: string): void;
  };
  readonly document: { hasFocus(): boolean };
  open(url: string, target: string, features: string): OpenedWindow | null;
  close(): void;
}

/** The page that this program runs in. */
export function page(): Page {
  return globalThis as unknown as Page;
}
