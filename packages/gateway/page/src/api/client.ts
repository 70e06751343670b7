import type { ErrorView, ProblemView } from "../../../src/admin/views.ts";

/** A request that the admin API refused, or that did not reach it. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: string;
  /** The mistakes in a configuration that was sent, each with its place. */
  readonly problems: readonly ProblemView[];

  constructor(status: number, code: string, message: string, problems: readonly ProblemView[] = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.problems = problems;
  }
}

/** The last response of each path, so that what has not changed is not sent again. */
const known = new Map<string, { readonly tag: string; readonly data: unknown }>();
const MAX_KNOWN = 50;

/** Called when the session has ended, so that the page can ask for the token again. */
let onLoggedOut: () => void = () => undefined;

/** Sets what happens when the session has ended. */
export function whenLoggedOut(run: () => void): void {
  onLoggedOut = run;
}

/** Reads from the admin API. The same object as before means that nothing has changed. */
export async function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  const before = known.get(path);
  const headers: HeadersInit = before === undefined ? {} : { "if-none-match": before.tag };
  const response = await request(path, { headers, ...(signal === undefined ? {} : { signal }) });
  if (response.status === 304 && before !== undefined) return before.data as T;
  const data = (await response.json()) as T;
  const tag = response.headers.get("etag");
  known.delete(path);
  if (tag !== null) known.set(path, { tag, data });
  for (const oldest of known.keys()) {
    if (known.size <= MAX_KNOWN) break;
    known.delete(oldest);
  }
  return data;
}

/** Changes something through the admin API. */
export async function change<T = undefined>(
  method: "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
  options: { readonly revision?: number | undefined; readonly signal?: AbortSignal } = {},
): Promise<T> {
  const headers: Record<string, string> = {};
  if (body !== undefined) headers["content-type"] = "application/json";
  if (options.revision !== undefined) headers["if-match"] = `"${options.revision}"`;
  const response = await request(path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  return (response.status === 204 ? undefined : await response.json()) as T;
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function request(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`/api/v1/${path}`, { ...init, credentials: "same-origin" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, "unreachable", "The gateway does not answer. It may be restarting.");
  }
  if (response.ok || response.status === 304) return response;
  const failure = await readError(response);
  if (failure.code === "not_logged_in") onLoggedOut();
  throw failure;
}

async function readError(response: Response): Promise<ApiError> {
  try {
    const { error } = (await response.json()) as ErrorView;
    return new ApiError(response.status, error.code, error.message, error.problems);
  } catch {
    return new ApiError(response.status, "unknown", `The gateway answered with status ${response.status}.`);
  }
}
