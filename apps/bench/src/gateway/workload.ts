/** The API behind the gateways, the call that is measured, and the configuration of our own gateway. */
import { echoText } from "../workload/requests.ts";

/** The sizes of responses. */
export type Size = "small" | "large";

const BYTES: Readonly<Record<Size, number>> = { small: 100, large: 10_000 };

/** The body of a response: JSON of exactly so many bytes. */
export function bodyOf(size: Size): string {
  const empty = JSON.stringify({ size, text: "" }).length;
  return JSON.stringify({ size, text: echoText(BYTES[size] - empty) });
}

/** The tool that all gateways offer. */
export const TOOL = "get_item";

/** The parameters of the call. */
export function callParams(size: Size): object {
  return { name: TOOL, arguments: { size } };
}

/** Throws unless a message is the result of the call. */
export function checkResult(size: Size, message: string): void {
  const { result } = JSON.parse(message) as {
    result?: { isError?: boolean; content?: { text?: string }[] };
  };
  if (result?.isError === true || result?.content?.[0]?.text !== bodyOf(size)) {
    throw new Error(`Wrong answer: ${message.slice(0, 400)}`);
  }
}

/** The schema of the tool's arguments. */
export const INPUT = {
  type: "object",
  properties: { size: { type: "string", enum: ["small", "large"] } },
  required: ["size"],
} as const;

/** The part of a configuration that is the same for all variants: nothing is limited, and this machine may be called. */
function configure(server: object, store: "memory" | "pglite", path: string): object {
  return {
    version: 1,
    listen: { host: "127.0.0.1" },
    admin: false,
    analytics: { store, path },
    network: { allow: ["127.0.0.1"] },
    servers: { bench: { auth: "none", limits: { perMinute: 1_000_000_000 }, ...server } },
  };
}

/** Our gateway in front of the API, with so many tools. The one that is called is in the middle. */
export function apiConfig(apiPort: number, tools: number, store: "memory" | "pglite", path: string): object {
  const request = { method: "GET", url: `http://127.0.0.1:${apiPort}/items/{size}` };
  const named = Array.from({ length: tools }, (_, index) => {
    const name = index === Math.floor(tools / 2) ? TOOL : `other_${index}`;
    return [name, { description: "Gets an item", request, input: INPUT }];
  });
  return configure({ tools: Object.fromEntries(named) as object }, store, path);
}

/** Our gateway in front of another MCP server. */
export function upstreamConfig(upstream: object, path: string): object {
  return configure({ upstreams: { one: upstream } }, "memory", path);
}
