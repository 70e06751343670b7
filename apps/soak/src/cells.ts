/** The ways to reach a server. */
type Binding = "stdio" | "http" | "websocket" | "sse";

/** How a client reaches its server: straight, or through a proxy that cuts connections. */
type Route = "direct" | "proxy";

/** One combination of binding and era, with servers and clients of its own. */
export interface Cell {
  readonly binding: Binding;
  readonly era: "modern" | "legacy";
  /** The variant that sets it apart from others of the same binding and era. */
  readonly variant?: "sessions" | "no sessions" | undefined;
  /** Whether the server can ask its client while it works on a call. */
  readonly asks: boolean;
  /** One client for each route. A stdio server belongs to its client, and there is no wire to cut. */
  readonly routes: readonly Route[];
}

/** Everything that a run goes through. */
export const CELLS: readonly Cell[] = [
  { binding: "stdio", era: "modern", asks: true, routes: ["direct"] },
  { binding: "stdio", era: "legacy", asks: true, routes: ["direct"] },
  { binding: "http", era: "modern", asks: true, routes: ["direct", "proxy"] },
  { binding: "http", era: "legacy", variant: "sessions", asks: true, routes: ["direct", "proxy"] },
  // Without a session, a legacy client has no way to answer what it is asked.
  { binding: "http", era: "legacy", variant: "no sessions", asks: false, routes: ["direct", "proxy"] },
  { binding: "websocket", era: "modern", asks: true, routes: ["direct", "proxy"] },
  { binding: "websocket", era: "legacy", asks: true, routes: ["direct", "proxy"] },
  // Revision 2024-11-05, which has no questions to users.
  { binding: "sse", era: "legacy", asks: false, routes: ["direct", "proxy"] },
];

/** Whether all calls of a client share one connection, for which new calls wait while there is none. */
export function sharesConnection({ binding }: Cell): boolean {
  return binding !== "http";
}

const TITLES: Readonly<Record<Binding, string>> = {
  stdio: "stdio",
  http: "HTTP",
  websocket: "WebSocket",
  sse: "HTTP+SSE",
};

/** A cell as people read it. */
export function titleOf({ binding, era, variant }: Cell): string {
  return `${TITLES[binding]} ${era}${variant === undefined ? "" : `, ${variant}`}`;
}
