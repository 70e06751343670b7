/** The steps of a call in order: resolve, authenticate, send, and once more if the credential was refused. */
import type { HttpCaller, HttpRequest, HttpResponse } from "../caller/http-caller.ts";
import type { AuthSubject } from "../credentials/auth.ts";
import type { HttpOperation } from "./operation.ts";

/** A response, and the request that it answers. */
export interface CalledOperation {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
}

/** Calls an operation. */
export async function callOperation(
  operation: HttpOperation,
  caller: HttpCaller,
  args: object,
  subject: AuthSubject,
): Promise<CalledOperation> {
  const { auth, limits } = operation;
  const start = performance.now();
  const called = await sendOnce(operation, caller, args, subject, limits.timeout);
  // The API has not looked at a request whose credential it refused, so that even a POST may be sent again.
  if (called.response.status !== 401 || auth?.renew?.(subject) !== true) return called;
  const left = Math.max(1, Math.ceil(limits.timeout - (performance.now() - start)));
  return sendOnce(operation, caller, args, subject, left);
}

function sendOnce(
  operation: HttpOperation,
  caller: HttpCaller,
  args: object,
  subject: AuthSubject,
  timeout: number,
): Promise<CalledOperation> {
  const { auth, limits } = operation;
  const request = operation.resolve(args);
  const send = (): Promise<CalledOperation> =>
    caller.send(request, { ...limits, timeout, signal: subject.signal }).then((response) => ({ request, response }));
  const applied = auth?.apply(request, subject);
  return applied === undefined ? send() : applied.then(send);
}
