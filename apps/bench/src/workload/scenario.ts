/** The demands of a scenario on a server, on the load, and on us. */

/** How a server has to be wired for a scenario. */
export interface Wiring {
  readonly transport: "http" | "stdio" | "websocket" | "memory";
  readonly era: "modern" | "legacy";
  /** Legacy HTTP only: whether calls belong to a session that `initialize` opened. */
  readonly sessions: boolean;
  /** HTTP only: the form of the answers. */
  readonly answers: "json" | "sse";
  /** Memory only: whether messages become text and back on the way, rather than being passed by reference. */
  readonly isSerialized?: boolean;
  /** HTTP only: whether requests carry a token. */
  readonly hasToken?: boolean;
  /** How many tools the server offers. */
  readonly tools: number;
  /** How the tools differ from the usual: zod schemas, no middleware, one block of text as the result. */
  readonly variant?: Variant;
}

/** Tools described in plain JSON Schema, a middleware that hands every request on, or results of two content blocks. */
export type Variant = "json-schema" | "middleware" | "blocks";

/** The request that is sent again and again. */
export type Call =
  | { readonly kind: "echo"; readonly bytes: number }
  | { readonly kind: "sum" }
  | { readonly kind: "list" };

/** Our promise: calls per second as a multiple of the baseline's, and of the official SDK's. */
export interface Target {
  readonly baseline: number;
  readonly v2?: number;
}

/** One row of the server table. */
export interface ServerScenario {
  readonly id: string;
  readonly title: string;
  readonly wiring: Wiring;
  readonly call: Call;
  /** Connections (HTTP, WebSocket) that are open at a time; pipes and memory have one. */
  readonly connections: number;
  /** Calls in flight on each connection. */
  readonly inFlight: number;
  /** How many legacy sessions the calls are spread over; one per connection unless said. */
  readonly sessions?: number;
  readonly target?: Target;
  /** Whether the row is part of the default run although nothing is promised for it. */
  readonly isPublished?: boolean;
}

/** One row of the client table. */
export interface ClientScenario {
  readonly id: string;
  readonly title: string;
  readonly transport: "http" | "stdio" | "websocket" | "memory";
  readonly answers: "json" | "sse";
  /** Length of the text that comes back. */
  readonly bytes: number;
  readonly inFlight: number;
  readonly target?: Target;
}

/** `100 B`, `10 KB`, `1 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes >= 1_000_000) return `${bytes / 1_000_000} MB`;
  if (bytes >= 1_000) return `${bytes / 1_000} KB`;
  return `${bytes} B`;
}

/** The same, as part of an id: nothing for the usual 100 B, else `10kb`, `1mb`. */
export function sizeId(bytes: number): string[] {
  return bytes === 100 ? [] : [formatBytes(bytes).replace(" ", "").toLowerCase()];
}
