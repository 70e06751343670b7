import { ClusterError } from "@toolwire/server/cluster";

/** What to do about refusals of an engine that operators can end. */
const ADVICE: { readonly [code: string]: string } = {
  OOM: "Give it more memory: it must not evict what it has (maxmemory-policy noeviction).",
  NOPERM: "The README of @toolwire/redis lists the permissions that its user needs.",
  NOAUTH: "The client has no password.",
  WRONGTYPE: "Something else uses keys of the same prefix.",
};

/** Refusals of an engine that cannot work now. It may be able to soon. */
const NOT_NOW: ReadonlySet<string> = new Set([
  "LOADING",
  "MASTERDOWN",
  "READONLY",
  "CLUSTERDOWN",
  "TRYAGAIN",
  "BUSY",
  "UNBLOCKED",
]);

/** How a call has failed. It stays inside of this package. */
export class Failure extends Error {
  /** Whether the engine has replied, and so was reached. */
  readonly isReply: boolean;
  /** The first word of its refusal. */
  readonly code: string | undefined;
  /** What the caller gets. */
  readonly error: ClusterError;

  constructor(error: ClusterError, isReply: boolean, code?: string) {
    super(error.message);
    this.error = error;
    this.isReply = isReply;
    this.code = code;
  }
}

/**
 * Reads the error of a client. It is not kept as the cause: such errors show the command with its parameters, which hold ids and secrets. So
 * may the text of a reply, of which only the first word is shown.
 */
export function readFailure(thrown: unknown): Failure {
  const message = thrown instanceof Error ? thrown.message : "";
  const [code] = /^[A-Z]{2,}\b/.exec(message) ?? [];
  if (code === undefined) {
    const system = thrown instanceof Error && "code" in thrown ? ` (${String(thrown.code)})` : "";
    return new Failure(unavailable(`The connection to the engine has failed${system}.`), false);
  }
  const advice = ADVICE[code] === undefined ? "" : ` ${ADVICE[code]}`;
  return new Failure(unavailable(`The engine has refused a command with ${code}.${advice}`), !NOT_NOW.has(code), code);
}

export function unavailable(message: string): ClusterError {
  return new ClusterError("UNAVAILABLE", message);
}
