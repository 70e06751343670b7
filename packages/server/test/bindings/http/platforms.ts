import { onTestFinished } from "vitest";
import { createHttpHandler, type HttpOptions, serveHttp } from "../../../src/http.ts";
import type { Server } from "../../../src/index.ts";
import { createFixture, type Fixture } from "./fixture-server.ts";

/** A server that can be sent requests, on whichever platform. */
export interface Target {
  readonly url: string;
  send(init: RequestInit & { path?: string }): Promise<Response>;
  close(): Promise<void>;
}

/** The platforms of HTTP, which share one body of rules: each suite of rules runs on both. */
export interface Platform {
  readonly name: string;
  /** Serves a server until the test ends. */
  readonly start: (server: Server, options?: HttpOptions) => Promise<Target>;
  /** Serves the fixture, or the one given, until the test ends. */
  readonly serve: (options?: HttpOptions, fixture?: Fixture) => Promise<Fixture & Target>;
}

export const PLATFORMS: readonly Platform[] = [
  createPlatform("node:http, over a real port", async (server, options) => {
    const { url, close } = await serveHttp(server, { ...options, port: 0 });
    return { url, close, send: ({ path, ...init }) => fetch(path === undefined ? url : new URL(path, url), init) };
  }),
  createPlatform("web-standard Request and Response", async (server, options) => {
    const url = "http://localhost/mcp";
    const handler = createHttpHandler(server, { path: "/mcp", ...options });
    return {
      url,
      close: () => handler.close(),
      send: ({ path, ...init }) => handler.fetch(new Request(path === undefined ? url : new URL(path, url), init)),
    };
  }),
];

function createPlatform(name: string, open: (server: Server, options: HttpOptions) => Promise<Target>): Platform {
  const start: Platform["start"] = async (server, options = {}) => {
    const target = await open(server, options);
    onTestFinished(() => target.close());
    return target;
  };
  return {
    name,
    start,
    serve: async (options, fixture = createFixture()) => ({ ...fixture, ...(await start(fixture.server, options)) }),
  };
}
