/**
 * Serving within Fastify.
 *
 * @packageDocumentation
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "../define/server.ts";
import { createNodeHandler, type HttpOptions } from "../http.ts";

/** The members of a Fastify request that are used here. */
export interface FastifyRequestLike {
  readonly raw: IncomingMessage;
  readonly body?: unknown;
}

/** The members of a Fastify reply that are used here. */
export interface FastifyReplyLike {
  readonly raw: ServerResponse;
  getHeaders(): Record<string, number | string | string[] | undefined>;
  hijack(): unknown;
}

/** The members of a Fastify instance that are used here. */
export interface FastifyLike {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    parse: (request: never, payload: never, done: (error: Error | null) => void) => void,
  ): unknown;
  addHook(name: "preClose", hook: () => Promise<void>): unknown;
  route(options: {
    method: string[];
    url: string;
    handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => void;
  }): unknown;
}

/** A plugin of Fastify. */
export type FastifyPlugin = (instance: FastifyLike, options: unknown) => Promise<void>;

/**
 * Makes a Fastify plugin that serves a server at the prefix of the plugin. It ends with the Fastify instance: `app.close()`
 * waits for requests in flight, and ends streams and sessions.
 *
 * @example
 * ```ts
 * import fastify from "fastify";
 * import { toFastify } from "@toolwire/server/fastify";
 *
 * const app = fastify();
 * await app.register(toFastify(server), { prefix: "/mcp" });
 * ```
 */
export function toFastify(server: Server, options?: HttpOptions): FastifyPlugin {
  return async (instance) => {
    const handler = createNodeHandler(server, options);
    // The handler reads bodies itself, within its own limits. This concerns the routes of this plugin alone.
    instance.removeAllContentTypeParsers();
    instance.addContentTypeParser("*", (_request, _payload, done) => done(null));
    instance.addHook("preClose", () => handler.close());
    const handle = ({ raw, body }: FastifyRequestLike, reply: FastifyReplyLike): void => {
      // Headers that hooks have set, such as those of CORS, would be lost with the reply of Fastify.
      for (const [name, value] of Object.entries(reply.getHeaders())) {
        if (value !== undefined) reply.raw.setHeader(name, value);
      }
      reply.hijack();
      handler(raw, reply.raw, body);
    };
    instance.route({ method: ["GET", "POST", "DELETE", "OPTIONS"], url: "/", handler: handle });
    if (options?.serverCard !== undefined) {
      instance.route({ method: ["GET", "OPTIONS"], url: "/server-card", handler: handle });
    }
  };
}
