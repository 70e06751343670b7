/**
 * Serving over HTTP: a server of its own, a handler for `node:http` and its frameworks, and a handler with web standards
 * alone. In runtimes without `node:http`, package conditions choose `http-without-node.ts` in place of this module; its two functions
 * that need Node are replaced here.
 *
 * @packageDocumentation
 */
export * from "./http-without-node.ts";
export { createNodeHandler, type NodeHandler } from "./bindings/http/node/create-node-handler.ts";
export { serveHttp } from "./bindings/http/node/serve-http.ts";
export type { HttpListener, ServeHttpOptions, WorkersListener } from "./bindings/http/node/serve-options.ts";
