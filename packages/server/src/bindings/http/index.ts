/**
 * Serving over HTTP: a server of its own, a handler for `node:http` and its frameworks, and a handler with web standards
 * alone. In runtimes without `node:http`, package conditions choose `web/index.ts` in place of this module; its two functions
 * that need Node are replaced here.
 *
 * @packageDocumentation
 */
export * from "./web/index.ts";
export { createNodeHandler, type NodeHandler } from "./node/create-node-handler.ts";
export { serveHttp, type HttpListener, type ServeHttpOptions } from "./node/serve-http.ts";
