import type { HttpRequest, HttpResponse, SendOptions } from "../caller/http-caller.ts";
import type { Auth } from "../credentials/auth.ts";
import { expectCount, expectMilliseconds } from "@toolwire/protocol/internal";
import { compileRequest } from "../request/compile.ts";
import type { RequestSpec } from "../request/request-spec.ts";
import { expectResponseOptions, type ResponseOptions } from "../response/options.ts";
import { compileTransform, type TransformedResponse } from "../response/transform.ts";

export type { TransformedResponse } from "../response/transform.ts";

/**
 * An operation of an API, compiled once. `httpTool` runs its steps in order; a gateway runs the same steps, and takes the
 * time of each.
 */
export interface HttpOperation {
  readonly auth: Auth | undefined;
  /** Limits of a call, without its signal. */
  readonly limits: Omit<SendOptions, "signal" | "cancellation">;
  /**
   * Maps valid arguments to a request without credentials.
   *
   * @throws ToolError if a value cannot be sent, such as `..` in a path
   */
  resolve(args: object): HttpRequest;
  /**
   * Makes a result of a response. `secrets` are those of the request that was sent: result and error are cleared of them, but for
   * those that the caller has sent, in the arguments or in `known`.
   *
   * @throws ToolError if the response is not a success: `Error: Upstream API returned 404 - City not found`
   */
  transform(response: HttpResponse, args: object, secrets?: readonly string[], known?: unknown): TransformedResponse;
}

/** An operation that is not compiled yet. */
export interface OperationOptions {
  readonly request: RequestSpec;
  readonly auth?: Auth | undefined;
  readonly response?: ResponseOptions | undefined;
  /** How many milliseconds a call may take. Default 30 000. */
  readonly timeout?: number | undefined;
  /**
   * How often a request may be sent again. Default 2 for GET, HEAD and OPTIONS, else 0. PUT and DELETE are repeated if you say so;
   * POST and PATCH only if no connection was made.
   */
  readonly retries?: number | undefined;
}

/**
 * Compiles an operation.
 *
 * @throws UsageError if a request can never be sent, or an option is wrong
 */
export function compileOperation(options: OperationOptions): HttpOperation {
  const { auth, request } = options;
  const plan = compileRequest(request);
  const response = expectResponseOptions(options.response);
  const isSafe = plan.method === "GET" || plan.method === "HEAD" || plan.method === "OPTIONS";
  const transform = compileTransform(response);
  return {
    auth,
    limits: {
      timeout: expectMilliseconds("timeout", options.timeout, 30_000, 1),
      maxBytes: response.maxBytes,
      retries: expectCount("retries", options.retries ?? (isSafe ? 2 : 0), 0),
    },
    resolve: (args) => plan.resolve(args),
    transform: (received, args, secrets, known) => transform(received, args, secrets, known),
  };
}
