/** The rows of the client table. */
import { type ClientScenario, formatBytes, sizeId, type Target } from "./scenario.ts";

const TARGETS: Readonly<Record<string, Target>> = {
  "client-http-json-w64": { baseline: 1.8, v2: 14 },
  "client-http-json-w1000": { baseline: 2.4 },
  "client-http-sse-w64": { baseline: 1.8 },
  "client-http-json-w1": { baseline: 0.95 },
  "client-http-json-10kb-w64": { baseline: 1.4 },
  "client-stdio-w64": { baseline: 0.75 },
  "client-websocket-w64": { baseline: 0.75 },
  "client-memory-w64": { baseline: 0.75 },
};

/** Every client scenario there is, those with a target first and in the order of the targets. */
export function clientScenarios(): ClientScenario[] {
  const order = Object.keys(TARGETS);
  const scenarios: ClientScenario[] = [];
  for (const { transport, answers, prefix, heading } of [
    { transport: "http", answers: "json", prefix: ["client", "http", "json"], heading: "HTTP, JSON" },
    { transport: "http", answers: "sse", prefix: ["client", "http", "sse"], heading: "HTTP, SSE" },
    { transport: "stdio", answers: "json", prefix: ["client", "stdio"], heading: "stdio" },
    { transport: "websocket", answers: "json", prefix: ["client", "websocket"], heading: "WebSocket" },
    { transport: "memory", answers: "json", prefix: ["client", "memory"], heading: "memory" },
  ] as const) {
    for (const bytes of [100, 10_000]) {
      for (const inFlight of [1, 64, 1000]) {
        const id = [...prefix, ...sizeId(bytes), `w${inFlight}`].join("-");
        const target = TARGETS[id];
        const load = inFlight === 1 ? "1 at a time" : `${inFlight} in flight`;
        const title = `${heading}, echo ${formatBytes(bytes)}, ${load}`;
        scenarios.push({ id, title, transport, answers, bytes, inFlight, ...(target && { target }) });
      }
    }
  }
  const position = ({ id }: ClientScenario) => (id in TARGETS ? order.indexOf(id) : order.length);
  return scenarios.toSorted((a, b) => position(a) - position(b));
}
