import type { Agreement } from "./agreement.ts";
import { isModernError } from "./discover.ts";
import { isFinal } from "./negotiate.ts";

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
