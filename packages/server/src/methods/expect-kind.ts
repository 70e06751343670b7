import { methodNotFound } from "../errors.ts";
import type { ServedRequest } from "../request/served-request.ts";

/** What a server may have or not, as its capabilities name it. */
export type Kind = "tools" | "prompts" | "resources" | "completions";

/** Throws -32601 if the server has nothing of a kind: then it does not serve the methods for that kind, either. */
export function expectKind({ definition, method }: ServedRequest, kind: Kind): void {
  if (definition.capabilities[kind] === undefined) throw methodNotFound(method);
}
