import type { GatewayConfig, ServerConfig } from "../src/config/config.ts";
import { createGateway } from "../src/create-gateway.ts";
import type { Gateway, GatewayEvent, GatewayOptions } from "../src/gateway.ts";
import type { CallRecord } from "../src/log/call-record.ts";
import { openMemoryStorage } from "../src/storage/memory-storage.ts";

/** A gateway in this process, with everything in memory. */
export interface LocalGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly events: GatewayEvent[];
  readonly records: CallRecord[];
  /** Sends a message to a server. */
  post(slug: string, message: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Calls a tool as curl does, and returns the result or the error. */
  call(slug: string, tool: string, args?: unknown, headers?: Record<string, string>): Promise<CallAnswer>;
  /** The names of the tools that a caller lists. */
  list(slug: string, headers?: Record<string, string>): Promise<readonly string[]>;
  /** Makes an API key, and returns the headers that present it. */
  key(options?: { readonly servers?: readonly string[]; readonly principal?: string }): Promise<Record<string, string>>;
}

/** The answer to a call. */
interface CallAnswer {
  readonly status: number;
  readonly text?: string | undefined;
  readonly isError?: boolean | undefined;
  readonly error?: { readonly code: number; readonly message: string } | undefined;
}

/** Starts a gateway with these servers. APIs on loopback are allowed. */
export async function startLocal(
  servers: { readonly [slug: string]: ServerConfig },
  more: { readonly config?: Partial<GatewayConfig>; readonly options?: GatewayOptions } = {},
): Promise<LocalGateway> {
  const storage = openMemoryStorage();
  const records: CallRecord[] = [];
  storage.calls.follow((record) => records.push(record));
  const events: GatewayEvent[] = [];
  const config: GatewayConfig = {
    version: 1,
    admin: false,
    network: { allow: ["127.0.0.1"] },
    servers,
    ...more.config,
  };
  const onEvent = (event: GatewayEvent): void => void events.push(event);
  const gateway = await createGateway(config, { port: 0, adminPort: 0, storage, onEvent, ...more.options });
  const post = (slug: string, message: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${gateway.url}/mcp/${slug}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof message === "string" ? message : JSON.stringify(message),
    });
  return {
    gateway,
    events,
    records,
    post,
    async call(slug, tool, args, headers) {
      const params = { name: tool, arguments: args };
      const response = await post(slug, { jsonrpc: "2.0", id: 1, method: "tools/call", params }, headers);
      const { result, error } = (await response.json()) as {
        readonly result?: { readonly content: readonly [{ readonly text: string }]; readonly isError?: boolean };
        readonly error?: { readonly code: number; readonly message: string };
      };
      return { status: response.status, text: result?.content[0].text, isError: result?.isError, error };
    },
    async list(slug, headers) {
      const response = await post(slug, { jsonrpc: "2.0", id: 1, method: "tools/list" }, headers);
      const { result } = (await response.json()) as {
        readonly result: { readonly tools: readonly { name: string }[] };
      };
      return result.tools.map(({ name }) => name);
    },
    async key({ servers: slugs, principal } = {}) {
      const { secret } = await storage.keys.create({ name: "test", servers: slugs, principal });
      return { authorization: `Bearer ${secret}` };
    },
    [Symbol.asyncDispose]: () => gateway.close(),
  };
}

/** A tool that gets a path of an API. */
export function getTool(url: string, more: object = {}): NonNullable<ServerConfig["tools"]>[string] {
  return { description: "Gets something", request: { method: "GET", url }, ...more };
}
