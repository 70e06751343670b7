import { type Caller, isShuttingDown } from "@toolwire/protocol/internal";
import type { Agreement, Terms } from "./agreement.ts";
import { discover, isModernError } from "./discover.ts";
import { AuthError, ErrorCode, eraOf, RpcError, TransportError, UsageError } from "@toolwire/protocol";
import { after } from "../waiting.ts";
import type { RememberedEra } from "./server-memory.ts";

/** Opens a connection of the legacy era. The code for that is loaded when such a server is first met. */
export async function initialize(caller: Caller, terms: Terms): Promise<Agreement> {
  const legacy = await import("../parts/legacy.ts");
  return legacy.initialize(caller, terms);
}

/**
 * A server that stays silent may be a legacy one, or a modern one that is slow to start. Both questions have been asked
 * now; the first good answer counts, and a bad one only if both are. Loaded when a server stays silent.
 */
export function firstAgreement(discovery: Promise<Agreement>, handshake: Promise<Agreement>): Promise<Agreement> {
  const both = Promise.any([discovery, handshake]).catch(async () => {
    try {
      return await discovery;
    } catch (error) {
      if (isModernError(error)) throw error;
      return handshake;
    }
  });
  return new Promise((resolve, reject) => {
    both.then(resolve, reject);
    for (const question of [discovery, handshake]) {
      question.catch((error: unknown) => {
        if (isFinal(error)) reject(error as Error);
      });
    }
  });
}

/**
 * Agrees with a server on a revision. The server is asked in the newest era first; what is not the answer of a modern
 * server, silence included, leads to the older handshake (versioning, "Backward Compatibility").
 *
 * `expected` is what the server spoke the last time, which saves a legacy server the question.
 */
export async function negotiate(caller: Caller, terms: Terms, expected?: RememberedEra): Promise<Agreement> {
  const eras = new Set(terms.revisions.map(eraOf));
  if (!eras.has("modern")) return initialize(caller, terms);
  const mayBeLegacy = eras.has("legacy");
  if (mayBeLegacy && expected === "legacy") {
    try {
      return await initialize(caller, terms);
    } catch (error) {
      // Perhaps the server was replaced by a newer one since, which knows no handshake.
      if (!isModernError(error) && !suggestsLegacy(error)) throw error;
    }
  }
  return probe(caller, terms, mayBeLegacy);
}

async function probe(caller: Caller, terms: Terms, mayBeLegacy: boolean): Promise<Agreement> {
  const discovery = discover(caller, terms);
  if (mayBeLegacy && !(await settlesWithin(discovery, terms.probeTimeout))) {
    const { firstAgreement } = await import("../parts/legacy.ts");
    return firstAgreement(discovery, initialize(caller, terms));
  }
  try {
    return await discovery;
  } catch (error) {
    if (!suggestsLegacy(error)) throw error;
    if (mayBeLegacy) return initialize(caller, terms);
    // Without the handshake, there is no speaking with a server that knows nothing else.
    const { noCommonRevision } = await import("../parts/legacy.ts");
    throw noCommonRevision(terms.revisions, [], error);
  }
}

/**
 * Whether an error may be how a legacy server says that it does not understand. No code is a sign of it, any error is that
 * a modern server would not send; but refused credentials and broken connections say nothing about the era.
 */
export function suggestsLegacy(error: unknown): boolean {
  if (isModernError(error) || isFinal(error)) return false;
  return !(error instanceof TransportError) || error.code === "UNEXPECTED_RESPONSE";
}

/**
 * Whether a server that refuses like this takes no POST at its address, or none of this kind (HTTP, "Backward
 * Compatibility").
 */
export function refusesPost(error: unknown): boolean {
  return error instanceof TransportError && error.refusal?.suggestsOtherEra === true;
}

/**
 * Whether an answer over HTTP makes it doubtful that the server, which was modern before, is so still. A legacy server in
 * its place knows no request outside of a session, and says so in general terms, often by a code of those that modern
 * servers should not use (2026-07-28, "Error Codes").
 */
export function castsDoubt(error: unknown): boolean {
  if (!(error instanceof RpcError)) return refusesPost(error);
  const { code, refusal } = error;
  // An error that came with a success is the answer of a server that has looked into the request.
  if (refusal?.suggestsOtherEra !== true) return false;
  return (
    code === ErrorCode.InvalidRequest || (code <= -32_000 && code > -32_020 && code !== ErrorCode.ResourceNotFound)
  );
}

/** Whether an error says all there is to say, in whichever era the question was asked. */
export function isFinal(error: unknown): boolean {
  return error instanceof AuthError || error instanceof UsageError;
}

/** Whether a promise settles, either way, within some time. */
function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = after(ms, () => resolve(false));
    const settle = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    promise.then(settle, settle);
  });
}

/**
 * Whether a server has not looked at a request, because it is too busy or shuts down, and says so by an HTTP status, whatever else
 * it says, or in the error of a channel.
 */
export function isPutOff(error: unknown): boolean {
  if (isShuttingDown(error)) return true;
  return (error instanceof TransportError || error instanceof RpcError) && error.refusal?.isTemporary === true;
}
