import { ErrorCode, isRevision, type RequestId, type Revision } from "@toolwire/protocol";
import { unsupportedRevision } from "../errors.ts";
import type { Serving } from "../serving/contract.ts";
import type { HttpCall } from "./call.ts";

/** Too much at once: the client may try again in a moment. */
export function refuseBusy(call: HttpCall, status: 429 | 503, id?: RequestId): false {
  const message = "Too many requests are in the works at once; wait for some to be answered, then try again.";
  call.refuse(status, ErrorCode.InternalError, message, { id, headers: ["Retry-After", "1"] });
  return false;
}

/** Something failed that nothing a client sends should make fail; it must not end the process. */
export function refuseBroken(serving: Serving, call: HttpCall, error: unknown): void {
  serving.diagnose({ level: "error", message: "A request could not be handled.", error });
  call.refuse(500, ErrorCode.InternalError, "Internal error");
}

/** Only POST means something here. */
export function refuseMethod(call: HttpCall): void {
  const message = `Send messages by POST; there is nothing to ${call.front.method} here.`;
  call.refuse(405, ErrorCode.InvalidRequest, message, { headers: ["Allow", "POST"] });
}

/** There is no form of answer that both sides know. */
export function refuseAccept(call: HttpCall, id?: RequestId): void {
  const message = "Answers are `application/json` or `text/event-stream`; list both in the `Accept` header.";
  call.refuse(406, ErrorCode.InvalidRequest, message, { id });
}

/** The `MCP-Protocol-Version` header names a revision that is not spoken here. */
export function refuseVersion(serving: Serving, call: HttpCall, version: string, id?: RequestId): void {
  const { code, message, data } = unsupportedRevision(version, serving.revisions, "");
  call.refuse(400, code, message, { id, data });
}

/** Whether the server speaks the revision of this name. */
export function speaks(serving: Serving, version: string): version is Revision {
  return isRevision(version) && serving.revisions.includes(version);
}
