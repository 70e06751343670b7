import type { Recording } from "../recording.ts";
import { decodeEvents } from "./events.ts";
import { decodeFrames } from "./frames.ts";
import { decodeHttp, looksLikeHttp, type HttpExchange, type HttpMessage } from "./http.ts";
import { decodeLines } from "./lines.ts";

/** Which half of the protocol sent something. */
export type Side = "client" | "server";

/** A message as it was found on the wire. */
export interface SentMessage {
  readonly sender: Side;
  /** The parsed JSON, or the text if it is none. */
  readonly message: unknown;
  readonly isJson: boolean;
  /** Within which ids are unique: a connection, a session, or one HTTP exchange. */
  readonly scope: string;
  /** The revision that the HTTP header of the request names. */
  readonly header?: string | undefined;
}

/** Requests to an authorization server that is at the same origin, as in 2025-03-26. They hold no messages of the protocol. */
const ABOUT_AUTHORIZATION = /^\/(?:\.well-known\/|(?:[^?]*\/)?(?:authorize|token|register)(?:\?|$))/;

/** Finds the messages in recordings of stdio, HTTP, HTTP+SSE and WebSocket connections. */
export function decodeMessages(recordings: readonly Recording[]): SentMessage[] {
  const messages: SentMessage[] = [];
  const exchanges: { readonly exchange: HttpExchange; readonly name: string }[] = [];
  for (const [index, { toServer, toClient }] of recordings.entries()) {
    const name = `connection ${index + 1}`;
    if (looksLikeHttp(toServer)) {
      const http = decodeHttp(toServer, toClient);
      if (http.upgraded === undefined) {
        exchanges.push(...http.exchanges.map((exchange, n) => ({ exchange, name: `${name}, request ${n + 1}` })));
      } else {
        messages.push(...decodePipe(name, decodeFrames(http.upgraded.toServer), decodeFrames(http.upgraded.toClient)));
      }
    } else messages.push(...decodePipe(name, decodeLines(toServer), decodeLines(toClient)));
  }
  // The two directions of HTTP+SSE go over connections of their own, so all have to be known before any is read.
  const endpoints = new Set(exchanges.flatMap(({ exchange }) => findEndpoints(exchange.response)));
  return [...messages, ...exchanges.flatMap(({ exchange, name }) => decodeExchange(exchange, name, endpoints))];
}

function decodePipe(scope: string, toServer: readonly string[], toClient: readonly string[]): SentMessage[] {
  return [
    ...toServer.map((text) => sent("client", text, scope)),
    ...toClient.map((text) => sent("server", text, scope)),
  ];
}

function decodeExchange(
  { request, response }: HttpExchange,
  name: string,
  endpoints: ReadonlySet<string>,
): SentMessage[] {
  const target = request.startLine.split(" ")[1] ?? "";
  if (ABOUT_AUTHORIZATION.test(target)) return [];
  const endpoint = endpoints.has(target) ? target : findEndpoints(response)[0];
  const session = request.headers.get("mcp-session-id") ?? response?.headers.get("mcp-session-id");
  const scope = endpoint ?? (session === undefined ? name : `session ${session}`);
  const header = request.headers.get("mcp-protocol-version");
  return [
    ...readTexts(request).map((text) => sent("client", text, scope, header)),
    ...(response === undefined ? [] : readTexts(response).map((text) => sent("server", text, scope, header))),
  ];
}

function readTexts(message: HttpMessage): string[] {
  const type = message.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream")) {
    return decodeEvents(message.body)
      .filter((event) => event.type === "message")
      .map((event) => event.data);
  }
  const isJson = type.startsWith("application/json") && message.body.length > 0 && message.isComplete;
  return isJson ? [message.body.toString("utf8")] : [];
}

/** Where clients of HTTP+SSE are told to post to (2024-11-05, "HTTP with SSE"): path and query. */
function findEndpoints(response: HttpMessage | undefined): string[] {
  if (response?.headers.get("content-type")?.startsWith("text/event-stream") !== true) return [];
  return decodeEvents(response.body)
    .filter((event) => event.type === "endpoint")
    .map((event) => {
      const { pathname, search } = new URL(event.data, "http://localhost");
      return pathname + search;
    });
}

function sent(sender: Side, text: string, scope: string, header?: string): SentMessage {
  try {
    return { sender, message: JSON.parse(text) as unknown, isJson: true, scope, header };
  } catch {
    return { sender, message: text, isJson: false, scope, header };
  }
}
