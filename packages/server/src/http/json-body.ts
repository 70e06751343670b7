import { isJsonType } from "./accept.ts";
import type { HttpCall } from "./call.ts";
import type { HttpEndpoint } from "./endpoint.ts";

/**
 * Reads the body of a POST as a JSON value, within the limits, and refuses what is none. `accept` does what it asks for, and
 * throws a `MalformedMessage` if it is not of the right shape.
 */
export function readJson(endpoint: HttpEndpoint, call: HttpCall, accept: (value: unknown) => void): void {
  const { serving, settings } = endpoint;
  const { maxBodyBytes } = settings;
  if (!isJsonType(call.header("content-type"))) {
    call.turnAway((from) => from.wrongType());
    return;
  }
  call.front.readBody(maxBodyBytes, (body) => {
    if (typeof body === "string") {
      call.turnAway((from) => from.unusableBody(call, serving, body, maxBodyBytes));
      return;
    }
    let value: unknown;
    try {
      value = "text" in body ? JSON.parse(body.text) : body.value;
    } catch (error) {
      call.turnAway((from) => from.unreadable(call, `JSON: ${(error as Error).message}`));
      return;
    }
    if (!endpoint.isOpenFor(call)) return;
    try {
      accept(value);
    } catch (error) {
      call.turnAway((from) => from.unusable(serving, error));
    }
  });
}
