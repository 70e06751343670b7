import { ErrorCode, errorCodeFor, RpcError, ToolwireError, type Revision } from "@toolwire/protocol";

/**
 * A failure that the model should read and may be able to mend: the tool's answer becomes an `isError` result with this
 * message. Everything else that a handler throws is hidden from the caller.
 *
 * @example
 * ```ts
 * throw new ToolError("There is no city of that name. Did you mean Oslo?");
 * ```
 */
export class ToolError extends ToolwireError {
  override readonly name: string = "ToolError";
  readonly code: string = "TOOL_ERROR";
}

/** The user was asked and said no (`decline`), or walked away (`cancel`). Thrown by `ctx.elicit`. */
export class InputDeclined extends ToolError {
  override readonly name: string = "InputDeclined";
  override readonly code: string = "INPUT_DECLINED";
  readonly action: "decline" | "cancel";

  constructor(action: "decline" | "cancel") {
    super(
      action === "decline"
        ? "The user declined to answer, so this was not done."
        : "The user closed the question without an answer, so this was not done.",
    );
    this.action = action;
  }
}

/**
 * Rejects a question that is not answered yet, so that the handler ends: its `finally` blocks run, and nothing after
 * the question does. The client then hears the question, and its answer starts the handler again. A handler that catches
 * everything should let this one pass.
 */
export class InputRequired extends Error {
  override readonly name: string = "InputRequired";

  constructor() {
    super("The client has to answer first. The handler will run again with the answer: let this pass.");
  }
}

/** The refusal of a method that is not served. */
export function methodNotFound(method: string): RpcError {
  return new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method}`);
}

/** The refusal of parameters. */
export function invalidParams(message: string, data?: unknown): RpcError {
  return new RpcError(ErrorCode.InvalidParams, message, { data });
}

/** The refusal of a revision. Names those that are spoken, as the versioning page asks. */
export function unsupportedRevision(requested: string, supported: readonly Revision[], hint: string): RpcError {
  return new RpcError(
    ErrorCode.UnsupportedProtocolVersion,
    `Unsupported protocol version: this server speaks ${supported.join(", ")}. ${hint}`.trimEnd(),
    { data: { supported, requested } },
  );
}

/** The refusal of a tool or prompt that does not exist, or that the caller may not know of. */
export function unknownName(kind: "tool" | "prompt", name: string): RpcError {
  return invalidParams(`Unknown ${kind}: ${name.slice(0, 128)}`);
}

/** The refusal of a resource that does not exist, or that the caller may not know of. */
export function resourceNotFound(revision: Revision, uri: string): RpcError {
  return new RpcError(errorCodeFor(revision, "resourceNotFound"), "Resource not found", { data: { uri } });
}

/** The refusal of a template that does not exist, or that the caller may not know of. */
export function unknownTemplate(): RpcError {
  return invalidParams("Unknown resource template: name it exactly as it was listed.");
}
