import { describeCell, type Cell } from "./cell.ts";

/** Steps that fail because of a fault, and the reason. */
export interface KnownFailure {
  /** Matches the descriptions of the pairs. */
  readonly pairs: RegExp;
  readonly steps: readonly string[];
  readonly reason: string;
}

/** All known failures. It is a problem if a listed step passes, or if an entry matches no pair. */
export const KNOWN_FAILURES: readonly KnownFailure[] = [
  {
    pairs: /^@ai-sdk\/mcp .* over (?:stdio|sse)$/,
    steps: ["cancel"],
    reason:
      "the library does not tell the server about the cancellation, except over HTTP, where it closes the request",
  },
  {
    pairs: /mcp-remote [\d.]+, modern|^Toolwire -> mcp-remote [\d.]+, stdio → HTTP ->/,
    steps: ["cancel"],
    reason: "the bridge posts a notification, but 2026-07-28 over HTTP cancels a call by closing its stream",
  },
  {
    pairs: /^Toolwire \(legacy\) -> tmcp .* over http$/,
    steps: ["cancel"],
    reason: "the server ignores `notifications/cancelled`, and takes only a closed stream for a cancellation",
  },
  {
    pairs: /^ext-tasks [\d.]+, legacy/,
    steps: ["ask"],
    reason: "the library does not ask for the result of a task that needs input, which is how questions reach a client",
  },
  {
    pairs: /mcp-proxy/,
    steps: ["ask"],
    reason: "the bridge does not pass on that the client answers questions",
  },
  {
    pairs: /supergateway [\d.]+, stateless|^Toolwire -> supergateway [\d.]+, stateful/,
    steps: ["cancel"],
    reason: "the bridge starts one server per call, so no other call can ask what was cancelled",
  },
  {
    pairs: /^Toolwire \(legacy\) -> supergateway [\d.]+, stateless/,
    steps: ["ask"],
    reason: "the bridge does the handshake itself, without the capabilities of the client",
  },
  {
    pairs: /supergateway [\d.]+, WebSocket|^Toolwire \(legacy\) -> supergateway [\d.]+, stdio/,
    steps: ["cancel"],
    reason: "the bridge renumbers requests, but not cancellations",
  },
  {
    pairs: /^Toolwire \(legacy\) -> supergateway [\d.]+, WebSocket/,
    steps: ["ask"],
    reason: "the bridge also renumbers answers to the server",
  },
  {
    pairs: /supergateway [\d.]+, stdio/,
    steps: ["progress"],
    reason: "the bridge drops notifications of the server",
  },
  {
    pairs: /supergateway [\d.]+, stdio → HTTP ->|^Toolwire \(legacy\) -> supergateway [\d.]+, stdio/,
    steps: ["ask"],
    reason: "the bridge answers the questions of the server itself, with an error",
  },
  {
    pairs: /server-postgres|server-puppeteer|@executeautomation\/playwright-mcp-server|mcp-server-kubernetes/,
    steps: ["templates"],
    reason: "the server declares resources, but does not have `resources/templates/list`",
  },
  {
    pairs: /@hubspot\/mcp-server/,
    steps: ["resources", "templates"],
    reason: "the server declares resources, but has neither `resources/list` nor `resources/templates/list`",
  },
  {
    pairs: /server-postgres/,
    steps: ["resources"],
    reason: "the server lists the tables of a database, and there is no database",
  },
];

/** The known failures of a pair. */
export function knownFailuresOf(cell: Cell, failures: readonly KnownFailure[]): readonly KnownFailure[] {
  const description = describeCell(cell);
  return failures.filter(({ pairs }) => pairs.test(description));
}
