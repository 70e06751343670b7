import type { Revision } from "@toolwire/protocol";
import type { Half } from "./pairs/pairs.ts";
import type { ClientBinding, ServerBinding } from "./runtimes/runtime.ts";

/** Something that a runtime cannot do, and why. */
export interface Exclusion {
  /** Which rows. */
  readonly runtime: RegExp;
  readonly half: Half;
  readonly bindings: readonly (ServerBinding | ClientBinding)[];
  /** Single steps; absent: the binding as a whole. */
  readonly steps?: readonly string[];
  /** With `steps`: in which revisions; absent: in all. */
  readonly revisions?: readonly Revision[];
  readonly reason: string;
}

const BROWSERS = /^Chromium$|^Firefox$|^WebKit$/;

/** All there is. An entry that excludes nothing, or a step that does work, is reported as a problem. */
export const EXCLUSIONS: readonly Exclusion[] = [
  {
    runtime: /^Node/,
    half: "server",
    bindings: ["http"],
    reason: "Node has no HTTP server for `Request` and `Response`; use `serveHttp`",
  },
  {
    runtime: /^workerd/,
    half: "server",
    bindings: ["node", "stdio", "websocket"],
    reason: "workers have neither ports nor streams of their own: they are handed requests",
  },
  {
    runtime: /^workerd/,
    half: "client",
    bindings: ["stdio"],
    reason: "workers cannot start programs",
  },
  {
    runtime: /Durable Object$/,
    half: "client",
    bindings: ["http", "websocket", "memory"],
    reason: "as in any worker: see the row above",
  },
  {
    runtime: BROWSERS,
    half: "server",
    bindings: ["http", "node", "stdio", "websocket"],
    reason: "pages cannot listen; the server works in them all the same: see the clients in memory",
  },
  {
    runtime: /^Bun|^workerd|^Chromium$|^Firefox$|^WebKit$/,
    half: "client",
    bindings: ["websocket"],
    steps: ["refused token", "bearer", "client credentials"],
    reason: "the client can send no header fields with the WebSockets of the platform, and so no tokens; use HTTP",
  },
  {
    runtime: BROWSERS,
    half: "client",
    bindings: ["stdio"],
    reason: "pages cannot start programs",
  },
];
