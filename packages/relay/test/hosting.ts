/** A server that serves what upstreams offer, over HTTP. */
import { connect, type Client, type ConnectOptions } from "@toolwire/client";
import { AuthError, createServer, type Server, type ServerOptions } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { onTestFinished } from "vitest";
import {
  createRelay,
  type RelayedUpstream,
  type RelayEvent,
  type UpstreamOptions,
  type ViewOptions,
} from "../src/index.ts";

/** Where an upstream is, and its options. */
export interface UpstreamConfig extends Omit<UpstreamOptions, "view"> {
  readonly url?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  /** Parts of each view, besides the connection. */
  readonly view?: Omit<ViewOptions, "connect">;
}

/** A server with upstreams that runs. */
export interface Hosting<T> {
  readonly url: string;
  readonly server: Server;
  readonly upstreams: readonly T[];
  /** What the operator was told. */
  readonly events: RelayEvent[];
  /** Connects as a principal, or as nobody. */
  connect(options?: ConnectOptions & { readonly as?: string }): Promise<Client>;
}

/** Serves what these upstreams offer until the end of the test. A bearer token is the id of a principal. */
export function host(configs: { readonly [name: string]: UpstreamConfig }): Promise<Hosting<RelayedUpstream>> {
  const events: RelayEvent[] = [];
  const relay = createRelay({
    upstreams: Object.fromEntries(Object.entries(configs).map(([name, config]) => [name, upstreamOf(config)])),
    server: (parts) => createServer({ name: "gateway", version: "0.0.0", ...parts, onDiagnostic: tellTo(events) }),
    report: (event) => events.push(event),
  });
  return serveUntilEnd({ ...relay, events }, () => relay.close());
}

/** Serves a server until the end of the test, and closes its upstreams then. A bearer token is the id of a principal. */
export async function serveUntilEnd<T>(
  { server, upstreams, events }: Pick<Hosting<T>, "server" | "upstreams" | "events">,
  close: () => Promise<unknown>,
): Promise<Hosting<T>> {
  const serving = await serveHttp(server, {
    port: 0,
    authenticate(request) {
      const token = request.header("authorization")?.replace("Bearer ", "");
      if (token === "bad") throw new AuthError("UNAUTHORIZED", "No.");
      return { id: token ?? "nobody" };
    },
  });
  const clients: Client[] = [];
  onTestFinished(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await serving.close();
    await close();
  });
  return {
    url: serving.url,
    server,
    upstreams,
    events,
    async connect({ as, ...options } = {}) {
      const http = { headers: { ...(as !== undefined && { authorization: `Bearer ${as}` }) } };
      const client = await connect(serving.url, { http, memory: false, ...options });
      clients.push(client);
      return client;
    },
  };
}

/** Tells the operator what a server reports. */
export function tellTo(events: RelayEvent[]): NonNullable<ServerOptions["onDiagnostic"]> {
  return ({ message, error }) => events.push({ level: "error", upstream: "(server)", message, error });
}

function upstreamOf({ url, command, args, view, ...options }: UpstreamConfig): UpstreamOptions {
  return {
    isHttp: url?.startsWith("http") === true,
    ...options,
    view: () => ({
      ...view,
      connect: (given) =>
        url === undefined ? connect({ command: command ?? "", args, stderr() {} }, given) : connect(url, { ...given }),
    }),
  };
}
