/**
 * The contract between HTTP endpoints and what they publish about their server. Endpoints know nothing of cards: they ask whether a request is
 * for a public document. Everything else is in `server-card/`, which only those load who use it.
 */
import type { Implementation, Revision } from "@toolwire/protocol";
import { invalidOption, isObject } from "@toolwire/protocol/internal";
import type { PlainResponse } from "../admission/metadata.ts";
import type { HttpRequestAdapter } from "./adapter.ts";
import { refuse, requestFailed } from "./errors.ts";
import type { HttpRequest } from "./request.ts";

/** What an endpoint knows of its server. */
export interface PublishedServer {
  readonly info: Implementation;
  /** The revisions that are served at the endpoint, newest first. */
  readonly revisions: readonly Revision[];
  /** The path of the endpoint, if the options have one. */
  readonly path: string | undefined;
}

/** Publishes documents about a server. `serverCard()` of `@toolwire/server/server-card` makes one. */
export interface ServerPublisher {
  /** Makes the documents. Throws a `UsageError` if there can be none of this server. */
  publish(server: PublishedServer): PublishedDocuments;
}

/** The public documents of an endpoint. */
export interface PublishedDocuments {
  /** Answers a request for one of them; `undefined` for all other requests. */
  answer(request: PublishedRequest): Promise<PlainResponse> | undefined;
}

/** A request that may be for a public document. */
export type PublishedRequest = Pick<HttpRequestAdapter, "method" | "target" | "routedPath" | "address" | "header">;

/** Returns a value that is a {@link ServerPublisher}. */
export function expectPublisher(name: string, given: ServerPublisher | undefined): ServerPublisher | undefined {
  if (given === undefined || (isObject(given) && typeof given["publish"] === "function")) return given;
  throw invalidOption(name, given, "made by serverCard({ … }) of @toolwire/server/server-card");
}

/** Answers a request for a public document. Returns false for all other requests. */
export function answerPublished(request: HttpRequest, published: PublishedDocuments): boolean {
  const answer = published.answer(request.adapter);
  if (answer === undefined) return false;
  const { server } = request.endpoint;
  answer.then(
    ({ status, headers, body }) => {
      if (status >= 400) server.refused({ binding: "http", status });
      request.respond(status, headers, body);
    },
    (error: unknown) => refuse(request, requestFailed(server, error)),
  );
  return true;
}
