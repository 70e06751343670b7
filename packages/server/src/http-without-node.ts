/**
 * Serving over HTTP in runtimes without `node:http`, such as browsers and workers. It has the same exports as `http.ts`;
 * the functions that need Node explain what to use instead.
 *
 * @packageDocumentation
 */
import { UsageError } from "@toolwire/protocol";

export { createHttpHandler, type HttpHandler } from "./bindings/http/web/create-http-handler.ts";
export type { DrainOptions } from "./bindings/http/drain.ts";
export type { HealthOptions, HttpHealth } from "./bindings/http/health.ts";
export type { HttpOptions, LandingPage } from "./bindings/http/options.ts";
export { createMetadataHandler, type MetadataHandler } from "./bindings/http/metadata-handler.ts";
export type { MetadataRequest, MetadataResponse } from "./bindings/http/plain-response.ts";
export type { PublishedDocuments, PublishedServer, ServerPublisher } from "./bindings/http/published.ts";
export type { Admission, ResourceMetadata, ServerAuth } from "./bindings/admission/auth.ts";
export type { AdmissionOptions, RequestHead } from "./bindings/admission/options.ts";
export type { Refusal } from "./bindings/admission/refusals.ts";
export * from "./legacy/http/index.ts";

/** Needs `node:http`. */
export function createNodeHandler(): never {
  throw withoutNode("createNodeHandler");
}

/** Needs `node:http`. */
export function serveHttp(): Promise<never> {
  return Promise.reject(withoutNode("serveHttp"));
}

function withoutNode(name: string): UsageError {
  return new UsageError(
    "UNSUPPORTED",
    `${name}() needs node:http, which this runtime does not have: pass the \`fetch\` of createHttpHandler(server) to the platform.`,
  );
}
