import { errorCodeFor, RpcError, type Revision } from "@toolwire/protocol";
import { invalidParams } from "../errors.ts";

/** The refusal of a resource that does not exist, or that the caller may not know of. */
export function resourceNotFound(revision: Revision, uri: string): RpcError {
  return new RpcError(errorCodeFor(revision, "resourceNotFound"), "Resource not found", { data: { uri } });
}

/** The refusal of a template that does not exist, or that the caller may not know of. */
export function unknownTemplate(): RpcError {
  return invalidParams("Unknown resource template: name it exactly as it was listed.");
}
