import type { Guard } from "../fixture/guard.ts";
import type { ClientTask } from "../programs/task.ts";
import type { Outcomes } from "../steps/outcomes.ts";

/** The bindings of servers, by the entry points of `@toolwire/server`. */
export const SERVER_BINDINGS = ["http", "node", "stdio", "websocket"] as const;

/** The transports of clients. */
export const CLIENT_BINDINGS = ["http", "websocket", "stdio", "memory"] as const;

/** A binding of servers. */
export type ServerBinding = (typeof SERVER_BINDINGS)[number];

/** A binding of clients. */
export type ClientBinding = (typeof CLIENT_BINDINGS)[number];

/** A runtime that is here and can be run. */
export interface Runtime {
  /** The name of its row. */
  readonly title: string;
  /** The result of `nameRuntime` in it. */
  readonly name: string;
  /** How to start the server in it, over each binding that there is a program for: open, or protected by a guard. */
  readonly servers: { readonly [B in ServerBinding]?: (guard?: Guard) => Promise<RunningServer> };
  /** The bindings that clients in it are to use, and how to start it for them. */
  readonly clients: readonly ClientBinding[];
  readonly startClients: () => Promise<ClientHost>;
}

/** A server that can be connected to. */
export interface RunningServer {
  readonly target: string | { readonly command: string; readonly args: readonly string[] };
  readonly stop: () => Promise<void>;
}

/** Where clients do their tasks. */
export interface ClientHost {
  /** The origin of the page that they run in, if they do; servers have to allow it. */
  readonly origin?: string | undefined;
  run(task: ClientTask): Promise<Outcomes>;
  readonly stop: () => Promise<void>;
}
