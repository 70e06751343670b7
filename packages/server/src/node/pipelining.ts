/**
 * Requests that come on a connection before those ahead of them are answered (RFC 9112, section 9.3.2). `node:http` keeps
 * their answers in memory until it is their turn. It has no public way to tell what is ahead of an answer, so this reads the
 * member by which it finds the answer that a connection carries now. Where that is absent, as in other runtimes, no request
 * counts as sent ahead.
 */
import type { IncomingMessage, ServerResponse } from "node:http";

/** Whether answers to earlier requests on the connection have to be sent before this one. */
export function isBehind(request: IncomingMessage, response: ServerResponse): boolean {
  // An answer has its socket from the start, unless there is one ahead of it. Adapters make responses that never have one.
  return response.socket === null && currentAnswer(request) !== undefined;
}

/**
 * Whether so much waits to be sent behind an answer that is not complete that Node has stopped reading the connection. It
 * would then not notice that the client has left, and let the work for it go on.
 */
export function isBlocked(request: IncomingMessage, response: ServerResponse): boolean {
  if (response.socket !== null) return false;
  return currentAnswer(request)?.writableEnded === false && request.socket.isPaused();
}

/** The answer that the connection of a request carries now. */
function currentAnswer({ socket }: IncomingMessage): ServerResponse | undefined {
  const { _httpMessage: current } = socket as { _httpMessage?: ServerResponse | null };
  return current ?? undefined;
}
