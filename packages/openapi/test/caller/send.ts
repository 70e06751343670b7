import type { HttpCaller, HttpRequest, HttpResponse, SendOptions } from "../../src/caller/http-caller.ts";

/** Sends a GET request, or another one. */
export function send(
  caller: HttpCaller,
  origin: string,
  request: Partial<HttpRequest> = {},
  limits: Partial<SendOptions> = {},
): Promise<HttpResponse> {
  return caller.send(
    { method: "GET", origin, path: "/", headers: {}, body: undefined, ...request },
    { timeout: 10_000, maxBytes: 1024 * 1024, retries: 0, ...limits },
  );
}

export function bodyText({ body }: HttpResponse): string {
  return new TextDecoder().decode(body);
}

/** The message that a promise is rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("It did not fail.");
}
