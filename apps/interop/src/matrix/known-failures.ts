import { describeCell, type Cell } from "./cell.ts";

/** Something that does not work, and why. */
export interface KnownFailure {
  /** Which pairs, by their description. */
  readonly pairs: RegExp;
  readonly steps: readonly string[];
  readonly reason: string;
}

/** All there are. A step that passes although it is listed here, and an entry without a pair, are problems. */
export const KNOWN_FAILURES: readonly KnownFailure[] = [
  {
    pairs: /^@ai-sdk\/mcp .* over (?:stdio|sse)$/,
    steps: ["cancel"],
    reason: "it forgets the call without telling the server, except over HTTP, where it closes the request",
  },
  {
    pairs: /mcp-remote [\d.]+, modern|^Toolwire -> mcp-remote [\d.]+, stdio → HTTP ->/,
    steps: ["cancel"],
    reason:
      "over HTTP, 2026-07-28 cancels a call by closing its stream; it posts a notification and leaves the stream open",
  },
  {
    pairs: /mcp-proxy/,
    steps: ["ask"],
    reason: "it does not pass on that the client answers questions",
  },
  {
    pairs: /supergateway [\d.]+, stateless|^Toolwire -> supergateway [\d.]+, stateful/,
    steps: ["cancel"],
    reason: "it starts a server for each call, and another one cannot tell what was cancelled",
  },
  {
    pairs: /^Toolwire \(legacy\) -> supergateway [\d.]+, stateless/,
    steps: ["ask"],
    reason: "it does the handshake itself, and declares no client that answers questions",
  },
  {
    pairs: /^Toolwire \(legacy\) -> supergateway [\d.]+, stateful/,
    steps: ["ask"],
    reason:
      "it asks on the stream of the oldest call without an answer: the cancelled one, whose stream our client has closed",
  },
  {
    pairs: /supergateway [\d.]+, WebSocket/,
    steps: ["cancel"],
    reason: "it changes the ids of requests, but not those in cancellations",
  },
  {
    pairs: /^Toolwire \(legacy\) -> supergateway [\d.]+, WebSocket/,
    steps: ["ask"],
    reason: "it changes the ids of answers to the server, too",
  },
  {
    pairs: /supergateway [\d.]+, stdio/,
    steps: ["progress"],
    reason: "it passes on no notifications of the server",
  },
  {
    pairs: /supergateway [\d.]+, stdio → HTTP ->|^Toolwire \(legacy\) -> supergateway [\d.]+, stdio/,
    steps: ["ask"],
    reason: "it answers the questions of the server itself: there is no such method",
  },
  {
    pairs: /^Toolwire \(legacy\) -> supergateway [\d.]+, stdio/,
    steps: ["cancel"],
    reason: "it changes the ids of requests, but not those in cancellations",
  },
  {
    pairs: /^Toolwire \(legacy\) -> supergateway [\d.]+, stdio/,
    steps: ["give up"],
    reason:
      "our server takes a cancellation with the id of a later request for an early one, and does not answer that request",
  },
  {
    pairs: /server-postgres|server-puppeteer|@executeautomation\/playwright-mcp-server|mcp-server-kubernetes/,
    steps: ["templates"],
    reason: "it declares resources, but does not have the method that lists templates",
  },
  {
    pairs: /@hubspot\/mcp-server/,
    steps: ["resources", "templates"],
    reason: "it declares resources, but does not have the methods that list them",
  },
  {
    pairs: /server-postgres/,
    steps: ["resources"],
    reason: "its resources are the tables of a database, and there is none here",
  },
];

/** What is known to fail with a pair. */
export function knownFailuresOf(cell: Cell, failures: readonly KnownFailure[]): readonly KnownFailure[] {
  const description = describeCell(cell);
  return failures.filter(({ pairs }) => pairs.test(description));
}
