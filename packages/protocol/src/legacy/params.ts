/** Checks the parameters of requests that only the legacy era has. */

import { type InitializeParams, LOGGING_LEVELS } from "../model/basic.ts";
import type { SubscribeParams } from "../model/resources.ts";
import type { SetLevelParams } from "../model/utilities.ts";
import {
  expectClientCapabilities,
  expectImplementation,
  expectOneOf,
  expectParams,
  expectString,
} from "../params/expect.ts";

/** The parameters of `initialize`. */
export function readInitializeParams(params: unknown): InitializeParams {
  const object = expectParams(params);
  expectString(object["protocolVersion"], "protocolVersion");
  expectImplementation(object["clientInfo"], "clientInfo");
  expectClientCapabilities(object["capabilities"], "capabilities");
  return object as unknown as InitializeParams;
}

/** The parameters of `logging/setLevel`. */
export function readSetLevelParams(params: unknown): SetLevelParams {
  const object = expectParams(params);
  expectOneOf(object["level"], LOGGING_LEVELS, "level");
  return object as unknown as SetLevelParams;
}

/** The parameters of `resources/subscribe` and `resources/unsubscribe`. */
export function readSubscribeParams(params: unknown): SubscribeParams {
  const object = expectParams(params);
  expectString(object["uri"], "uri");
  return object as unknown as SubscribeParams;
}
