import type { RequestHead } from "../../bindings/admission/options.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import type { OnceStore } from "../../cluster/stores.ts";
import { toBase64Url } from "../../content/binary.ts";
import { NONCE_LIFETIME_MS, Nonces } from "./nonces.ts";
import type { DpopSettings, ReplayStore } from "./options.ts";
import { type BoundToken, checkProof, PROOF_WINDOW_MS, ProofRefused } from "./proof.ts";
import { ReplayMemory } from "./replay.ts";

/** The outcome for a proof that is good, or that lacks a nonce. */
export type ProofOutcome =
  /** `nextNonce`: what the next proof should have, because the present nonce is soon too old. */
  | { readonly isGood: true; readonly nextNonce: string | undefined }
  | { readonly isGood: false; readonly nonce: string };

/** Checks the DPoP proofs of the requests to one resource. */
export class DpopCheck {
  readonly #resource: string;
  readonly #settings: DpopSettings;
  readonly #nonces: Nonces;
  readonly #cluster: () => Cluster | undefined;
  /** Not used if there is a store. */
  readonly #memory: ReplayMemory;

  /** `cluster` returns what this process shares with others, if there is anything. */
  constructor(
    resource: string,
    settings: DpopSettings,
    memory: ReplayMemory = new ReplayMemory(),
    cluster: () => Cluster | undefined = () => undefined,
  ) {
    this.#resource = resource;
    this.#settings = settings;
    this.#cluster = cluster;
    this.#nonces = new Nonces(settings.keys, () => cluster()?.keys);
    this.#memory = memory;
  }

  /**
   * Checks the proof of a request.
   *
   * @throws ProofRefused if it does not fit, or was used before
   */
  async check(request: RequestHead, token: BoundToken, now: number = Date.now()): Promise<ProofOutcome> {
    const proof = await checkProof(request, this.#resource, token, this.#settings.algorithms, now);
    const key = await hashText(`${token.keyThumbprint}.${proof.jti}`);
    const made = proof.nonce === undefined ? undefined : await this.#nonces.read(proof.nonce, now);
    // From here to the look into the memory nothing is waited for: the memory could forget the proof meanwhile.
    const { wantsNonces } = this.#settings;
    const replay = this.#settings.replay ?? replayIn(this.#cluster()?.once);
    const forgotten = replay === undefined ? this.#memory.nonceNotBefore(now) : undefined;
    const notBefore = forgotten ?? (wantsNonces ? -Infinity : undefined);
    if (notBefore !== undefined && (made === undefined || made < notBefore)) {
      // A nonce that is made too early would be refused at once.
      return { isGood: false, nonce: await this.#nonces.issue(notBefore, Math.max(now, notBefore)) };
    }
    // Last, so that only proofs that are good otherwise take up memory.
    const isNew =
      replay === undefined ? this.#memory.add(key, now) : await replay.add(key, proof.issuedAt + PROOF_WINDOW_MS);
    if (!isNew) throw new ProofRefused("it was used before");
    const isOld = notBefore !== undefined && now - made! > NONCE_LIFETIME_MS / 2;
    return { isGood: true, nextNonce: isOld ? await this.#nonces.issue(notBefore, now) : undefined };
  }
}

/** How far the clocks of nodes may differ. */
const CLOCK_TOLERANCE_MS = 60_000;

/** Remembers proofs for all nodes of a cluster. */
function replayIn(once: OnceStore | undefined): ReplayStore | undefined {
  return (
    once && {
      add: (key, expiresAt) => once.claim(`dpop.${key}`, Math.max(expiresAt - Date.now(), 0) + CLOCK_TOLERANCE_MS),
    }
  );
}

/** SHA-256 of a text, as base64url: the form of `ath`. */
export async function hashText(text: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}
