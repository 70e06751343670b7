import type { ProblemView } from "../views.ts";

/** A refusal of the admin API: an HTTP status, a code to branch on, and a text that says what to do. */
export class AdminError extends Error {
  override readonly name = "AdminError";
  readonly status: number;
  readonly code: string;
  readonly headers: { readonly [name: string]: string };
  /** Everything that is wrong with a configuration, each with its place. */
  readonly problems: readonly ProblemView[] | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    headers: { readonly [name: string]: string } = {},
    problems?: readonly ProblemView[],
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.problems = problems;
  }
}

/** Nothing of that name exists. */
export function notFound(message: string): AdminError {
  return new AdminError(404, "not_found", message);
}

/** The request is not as it should be. */
export function invalid(message: string): AdminError {
  return new AdminError(400, "invalid_request", message);
}
