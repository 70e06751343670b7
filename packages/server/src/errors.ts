import { ErrorCode, errorCodeFor, RpcError, ToolwireError, type Revision } from "@toolwire/protocol";
import { brandError } from "@toolwire/protocol/internal";
import { readScopes } from "./define/scopes.ts";

/**
 * A failure that the model should read and may be able to correct. Throw it in a tool, and the answer is an `isError`
 * result with this message. The text of anything else that a handler throws, except `RpcError`, is hidden from the
 * caller.
 *
 * @example
 * ```ts
 * throw new ToolError("There is no city of that name. Did you mean Oslo?");
 * ```
 */
export class ToolError extends ToolwireError {
  static {
    brandError(this, "ToolError");
  }

  override readonly name: string = "ToolError";
  readonly code: string = "TOOL_ERROR";
}

/** The user declined a question (`decline`), or dismissed it (`cancel`). Thrown by `ctx.elicit`. */
export class InputDeclined extends ToolError {
  static {
    brandError(this, "InputDeclined");
  }

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
 * Ends a handler whose question is not answered yet. Its `finally` blocks run, and nothing after the question does. The
 * client then gets the question, and its answer starts the handler again. If your handler catches errors, rethrow this
 * one.
 */
export class InputRequired extends ToolwireError {
  static {
    brandError(this, "InputRequired");
  }

  override readonly name: string = "InputRequired";
  readonly code: string = "INPUT_REQUIRED";

  constructor() {
    super("The client has to answer first. The handler will run again with the answer: let this pass.");
  }
}

/**
 * The caller lacks scopes. `ctx.requireScopes` and the `scopes` of definitions throw it, and so can you. Over HTTP the answer is a 403
 * that asks for all of `scopes`; where the response has begun already, and over other bindings, it is an error with the same content.
 */
export class InsufficientScope extends RpcError {
  static {
    brandError(this, "InsufficientScope");
  }

  override readonly name: string = "InsufficientScope";
  /** All scopes that the request needs, also those that the caller has. */
  readonly scopes: readonly string[];

  /** Throws a `UsageError` for texts that are no scopes. */
  constructor(scopes: readonly string[], message?: string) {
    const needed = readScopes(scopes);
    super(ErrorCode.InsufficientScope, message ?? `This needs the scopes ${needed.join(", ")}.`, {
      data: { error: "insufficient_scope", scopes: needed },
    });
    this.scopes = needed;
  }
}

const NOT_NOW = "This cannot be served at the moment. Nothing was done; try again.";

interface UnavailableOptions {
  readonly message?: string;
  readonly status?: 429 | 503;
  readonly seconds?: number;
}

/**
 * A request cannot be served now, because what several processes share cannot be reached, or has no room. Nothing has run. Over HTTP the
 * answer is a 503 or 429 with `Retry-After`.
 */
export class Unavailable extends RpcError {
  static {
    brandError(this, "Unavailable");
  }

  override readonly name: string = "Unavailable";
  readonly status: 429 | 503;
  /** After how many seconds the client should try again. */
  readonly seconds: number;

  constructor(cause?: unknown, { message = NOT_NOW, status = 503, seconds = 2 }: UnavailableOptions = {}) {
    super(ErrorCode.InternalError, message, { cause });
    this.status = status;
    this.seconds = seconds;
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

/** The refusal of a revision. Names the supported ones, as the versioning page demands. */
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
