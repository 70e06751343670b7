/// <reference lib="esnext.disposable" preserve="true" />
import { UsageError } from "@toolwire/protocol";
import { expectOptions } from "@toolwire/protocol/internal";
import type { IncomingMessage, ServerResponse } from "node:http";
import { bindingOf } from "../../../binding.ts";
import type { Server } from "../../../define/server.ts";
import { HTTP_HINTS } from "../../../define/other-names.ts";
import { createDrain, type DrainOptions } from "../drain.ts";
import { HttpEndpoint } from "../endpoint.ts";
import { keepAliveTogether } from "../events.ts";
import type { HttpHealth } from "../health.ts";
import { HTTP_OPTIONS, type HttpOptions } from "../options.ts";
import { acceptNodeRequest, wasRead } from "./node-adapter.ts";

/** A request listener for `node:http`. It is also a handler for Express and, with `raw` requests, for Fastify. */
export interface NodeHandler {
  /**
   * Answers one request. If a framework has already parsed the body, the handler takes it from `request.body`, where
   * Express leaves it, or from the third argument.
   */
  (request: IncomingMessage, response: ServerResponse, body?: unknown): void;
  /** How it is, for a page or a probe of your own. */
  health(): HttpHealth;
  /**
   * Drains: is not ready any more at once, goes on until load balancers have noticed, and closes. Call it when the process is told to
   * end.
   */
  drain(options?: DrainOptions): Promise<void>;
  /**
   * Takes no new requests, ends subscriptions, and waits for requests in flight, within `closeTimeout`. Meanwhile,
   * clients can still answer what they were asked. Then ends sessions.
   */
  close(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Makes a handler that serves a server on an existing HTTP server.
 *
 * @example
 * ```ts
 * import express from "express";
 * import { createNodeHandler } from "@toolwire/server/http";
 *
 * const app = express();
 * app.use("/mcp", createNodeHandler(server));
 * ```
 */
export function createNodeHandler(server: Server, options: HttpOptions = {}): NodeHandler {
  const binding = bindingOf(server, "createNodeHandler(server)");
  expectOptions("createNodeHandler", options, HTTP_OPTIONS, HTTP_HINTS);
  const endpoint = new HttpEndpoint(binding, options, keepAliveTogether);
  const handle = (request: IncomingMessage, response: ServerResponse, body?: unknown): void => {
    if (typeof (response as Partial<ServerResponse> | undefined)?.writeHead !== "function") throw noResponse();
    if (endpoint.isDraining) response.shouldKeepAlive = false;
    acceptNodeRequest(endpoint, request, response, findBody(request, body));
  };
  const close = (): Promise<void> => endpoint.close();
  const drain = createDrain(endpoint, close);
  return Object.assign(handle, { health: () => endpoint.health(), drain, close, [Symbol.asyncDispose]: close });
}

function noResponse(): UsageError {
  return new UsageError(
    "INVALID_ARGUMENT",
    "The handler takes a request and a response of node:http. In Fastify, pass request.raw and reply.raw. " +
      "For a web `Request`, use createHttpHandler(server).",
  );
}

/** Finds the body that a framework has read. Express passes the function `next` as the third argument. */
function findBody(request: IncomingMessage, body: unknown): unknown {
  if (body !== undefined && typeof body !== "function") return body;
  return wasRead(request) ? (request as { body?: unknown }).body : undefined;
}
