import { expectObject, expectOptionalObject, expectOptionalString, type Unread } from "./expect.ts";

/** What a request carries when it comes again with the answers it was asked for (2026-07-28, mrtr page). */
export function expectRetry(params: Unread): void {
  expectOptionalString(params["requestState"], "requestState");
  const responses = expectOptionalObject(params["inputResponses"], "inputResponses");
  if (responses === undefined) return;
  for (const response of Object.values(responses)) expectObject(response, "inputResponses", ".*");
}
