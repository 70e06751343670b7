import type { JSX } from "preact";

const PATHS = {
  overview: "M3 13h4l3-8 4 14 3-6h4",
  calls: "M4 6h16M4 12h16M4 18h10",
  servers: "M4 5h16v6H4zM4 13h16v6H4zM7.5 8h.01M7.5 16h.01",
  import: "M12 4v11m0 0 4-4m-4 4-4-4M4 19h16",
  upstreams: "M6 4v5a3 3 0 0 0 3 3h6a3 3 0 0 1 3 3v5M6 20v-4M18 4v4",
  credentials: "M7 11V8a5 5 0 0 1 10 0v3M5 11h14v9H5zM12 15v2",
  keys: "M14.5 9.5a4.5 4.5 0 1 0-4.2 4.5L12 12.3h2v2h2v2h2.6L20 15v-2.6l-5.6-2.1",
  health: "M12 20s-7.5-4.4-7.5-10A4.3 4.3 0 0 1 12 7.4 4.3 4.3 0 0 1 19.5 10c0 5.6-7.5 10-7.5 10z",
  menu: "M4 7h16M4 12h16M4 17h16",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z",
  auto: "M4 5h16v11H4zM9 20h6M12 16v4",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  plus: "M12 5v14M5 12h14",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13",
  refresh: "M20 11a8 8 0 1 0-2.3 6.3M20 5v6h-6",
  login: "M14 4h5v16h-5M4 12h10m0 0-3.5-3.5M14 12l-3.5 3.5",
  logout: "M10 4H5v16h5M10 12h10m0 0-3.5-3.5M20 12l-3.5 3.5",
  download: "M12 4v11m0 0 4-4m-4 4-4-4M5 20h14",
  upload: "M12 15V4m0 0 4 4m-4-4-4 4M5 20h14",
  warning: "M12 4 2.5 20h19zM12 10v4M12 17h.01",
  check: "m5 12.5 4.5 4.5L19 7.5",
} as const;

/** The name of a picture. */
export type IconName = keyof typeof PATHS;

/** A small picture beside a text that says the same. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
