import { MalformedMessage } from "@toolwire/protocol";
import { isJsonType } from "./accept.ts";
import type { HttpCall } from "./call.ts";

/**
 * Reads the body of a POST as a JSON value, within the limits, and refuses what is none. `accept` does what it asks for, and
 * throws a `MalformedMessage` if it is not of the right shape.
 */
export function readJson(call: HttpCall, accept: (value: unknown) => void): void {
  if (!isJsonType(call.header("content-type"))) {
    call.turnAway((from) => from.wrongType());
    return;
  }
  call.front.readBody(call.endpoint.settings.maxBodyBytes, (body) => {
    if (typeof body === "string") {
      call.turnAway((from) => from.unusableBody(call, body));
      return;
    }
    let value: unknown;
    try {
      value = "text" in body ? JSON.parse(body.text) : body.value;
    } catch (error) {
      call.turnAway((from) => from.unreadable(call, `JSON: ${(error as Error).message}`));
      return;
    }
    if (!call.endpoint.isOpenFor(call, value)) return;
    try {
      accept(value);
    } catch (error) {
      if (error instanceof MalformedMessage) call.endpoint.legacy?.hearMalformed(call, error);
      call.turnAway((from) => from.unusable(call, error));
    }
  });
}
