import { AuthError, eraOf, TransportError, UsageError } from "@toolwire/protocol";
import type { Caller } from "@toolwire/protocol/internal";
import { type Agreement, bestCommon, type ClientEra, NoCommonRevision, type Terms } from "../eras/era.ts";
import type { RememberedEra } from "../eras/server-memory.ts";
import { after, type PausedTime } from "../waiting.ts";

/** Lists those eras that have a revision which the terms offer. */
export function erasOf(eras: readonly ClientEra[], { revisions }: Pick<Terms, "revisions">): readonly ClientEra[] {
  return eras.filter(({ name }) => revisions.some((revision) => eraOf(revision) === name));
}

/**
 * Agrees with a server on a revision. The eras are tried in their order. Any answer that is not one of a server of the era,
 * and silence as well, leads to the next (versioning, "Backward Compatibility").
 *
 * `expected` is the era that the server spoke the last time. It is tried first.
 */
export async function negotiate(
  caller: Caller,
  terms: Terms,
  eras: readonly ClientEra[],
  expected?: RememberedEra,
): Promise<Agreement> {
  const [preferred, ...others] = erasOf(eras, terms);
  if (preferred === undefined) throw new NoCommonRevision(terms.revisions, []);
  if (others.length === 0) return agreeAlone(caller, terms, preferred);
  const remembered = others.find(({ name }) => name === expected);
  if (remembered !== undefined) {
    try {
      return await remembered.agree(caller, terms);
    } catch (error) {
      // The server may have been replaced by one of another era since.
      if (!leadsFrom(remembered, [preferred, ...others], error)) throw error;
    }
  }
  return agreeInOrder(caller, terms, preferred, others);
}

/** Negotiates where only one era may be spoken. */
async function agreeAlone(caller: Caller, terms: Terms, era: ClientEra): Promise<Agreement> {
  try {
    return await era.agree(caller, terms);
  } catch (error) {
    if (era.explainForeign === undefined || era.recognizes(error) || !isInconclusive(error)) throw error;
    throw era.explainForeign(error, terms);
  }
}

async function agreeInOrder(
  caller: Caller,
  terms: Terms,
  era: ClientEra,
  rest: readonly ClientEra[],
): Promise<Agreement> {
  const asked = era.agree(caller, terms);
  const [next, ...others] = rest;
  if (next === undefined) return asked;
  const tryNext = (): Promise<Agreement> => agreeInOrder(caller, terms, next, others);
  if (!(await settlesWithin(asked, terms.probeTimeout, terms.pausedTime))) {
    return firstAgreement(era, asked, tryNext(), terms);
  }
  try {
    return await asked;
  } catch (error) {
    if (leadsFrom(era, rest, error) || isReferral(era, terms, error)) return tryNext();
    throw error;
  }
}

/**
 * Chooses between two eras after a server stayed silent: it may speak the later one, or be slow to start. Both questions have
 * been asked; the first agreement counts, and an error only if both fail.
 */
function firstAgreement(
  era: ClientEra,
  asked: Promise<Agreement>,
  next: Promise<Agreement>,
  terms: Terms,
): Promise<Agreement> {
  const both = Promise.any([asked, next]).catch(async () => {
    try {
      return await asked;
    } catch (error) {
      if (era.recognizes(error) && !isReferral(era, terms, error)) throw error;
      return next;
    }
  });
  return new Promise((resolve, reject) => {
    both.then(resolve, reject);
    for (const question of [asked, next]) {
      question.catch((error: unknown) => {
        if (isFinal(error)) reject(error as Error);
      });
    }
  });
}

/** Whether an error of one era makes it worthwhile to try others. */
function leadsFrom(era: ClientEra, all: readonly ClientEra[], error: unknown): boolean {
  if (isFinal(error)) return false;
  if (all.some((other) => other !== era && other.recognizes(error))) return true;
  return !era.recognizes(error) && isInconclusive(error);
}

/** Whether a server that refuses this era lists a revision of another one. */
function isReferral({ name }: ClientEra, { revisions }: Terms, error: unknown): boolean {
  if (!(error instanceof NoCommonRevision) || bestCommon(revisions, error.supported, name) !== undefined) return false;
  return revisions.some((revision) => error.supported.includes(revision));
}

/**
 * Whether an error may be how a server says that it does not understand. Any error may be, whatever its code; but refused
 * credentials and broken connections say nothing about the era.
 */
export function isInconclusive(error: unknown): boolean {
  if (isFinal(error)) return false;
  return !(error instanceof TransportError) || error.code === "UNEXPECTED_RESPONSE";
}

/** Whether an error is the same in all eras, so that no other needs to be tried. */
function isFinal(error: unknown): boolean {
  return error instanceof AuthError || error instanceof UsageError;
}

/** Whether a promise settles, either way, within some time. */
function settlesWithin(promise: Promise<unknown>, ms: number, pausedTime: PausedTime): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = after(ms, () => resolve(false), pausedTime);
    const settle = (): void => {
      timer?.clear();
      resolve(true);
    };
    promise.then(settle, settle);
  });
}
