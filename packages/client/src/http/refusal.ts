import { RpcError, type RequestId, type RequestMessage } from "@toolwire/protocol";
import type { Refusal } from "./answer-reader.ts";
import { toFailure } from "./failure.ts";
import { HttpStatusError } from "./status-error.ts";

/** Refusals by servers that have not looked into the request, as they do not name it: only such a call may be sent again. */
export const unread: WeakSet<object> = new WeakSet<object>();

/**
 * What its refusal means to a request; `undefined` if the error in it is the response. `forget` ends the session that it was
 * sent in, if there was one, for the sake of later requests.
 */
export function explainRefusal(
  refusal: Refusal,
  url: URL,
  { id, method }: RequestMessage,
  forget: (() => void) | undefined,
): Error | undefined {
  const { status, error } = refusal;
  const isNamed = namesRequest(refusal, id);
  if (isNamed && status === 404) forget?.();
  let failure = toFailure(refusal, url, forget !== undefined && !isNamed);
  // 405 says that nothing is posted here, whatever the words: HTTP+SSE servers of 2024-11-05 say so.
  if (error !== undefined && status !== 405 && failure instanceof HttpStatusError) {
    if (isNamed) return undefined;
    const { code, message, data } = error.error;
    failure = new RpcError(code, message, { data, httpStatus: status, method });
  }
  if (!isNamed) unread.add(failure);
  return failure;
}

/**
 * Whether a refusal names a request, as a number or as text: then the server has looked into it, and may have acted on it.
 * Others make up an id, or leave it out. Where the refusal cannot be read as an error, its text is searched.
 */
export function namesRequest({ error, text }: Refusal, id: RequestId): boolean {
  if (error !== undefined) return String(error.id) === String(id);
  return [...text.matchAll(/"id"\s*:\s*"?([^\s",}]+)/g)].some(([, found]) => found === String(id));
}
