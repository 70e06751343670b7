import { createHttpHandler, type HttpOptions } from "../../src/http/index.ts";
import { serveHttp } from "../../src/node/index.ts";
import type { Serving } from "../../src/serving/contract.ts";

/** A server that can be sent requests, over whichever front. */
export interface Target {
  readonly url: string;
  send(init: RequestInit & { path?: string }): Promise<Response>;
  close(): Promise<void>;
}

/** The fronts that share one body of rules: each suite of rules runs on both. */
export interface Front {
  readonly name: string;
  start(server: Serving, options?: HttpOptions): Promise<Target>;
}

const node: Front = {
  name: "node:http, over a real port",
  async start(server, options = {}) {
    const { url, close } = await serveHttp(server, { ...options, port: 0 });
    return { url, close, send: ({ path, ...init }) => fetch(path === undefined ? url : new URL(path, url), init) };
  },
};

const web: Front = {
  name: "web-standard Request and Response",
  async start(server, options = {}) {
    const url = "http://localhost/mcp";
    const handler = createHttpHandler(server, { path: "/mcp", ...options });
    return {
      url,
      close: () => handler.close(),
      send: ({ path, ...init }) => handler.fetch(new Request(path === undefined ? url : new URL(path, url), init)),
    };
  },
};

export const FRONTS: readonly Front[] = [node, web];
