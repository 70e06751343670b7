import { expectBoolean, expectOption, expectOptions, isObject, type OptionNames } from "@toolwire/protocol/internal";
import type { Secret } from "../../define/options.ts";
import { readSecrets } from "../../input/seal.ts";
import { expectAlgorithms } from "../check-options.ts";

/** Whether tokens may be bound to keys, or have to be. */
export type DpopMode = "accepted" | "required";

/**
 * Remembers proofs, so that none is accepted twice. Machines that serve the same clients have to share a store, or replays go unnoticed.
 */
export interface ReplayStore {
  /**
   * Keeps a key until `expiresAt` (milliseconds since 1970), unless it is there already. Returns whether it was new. It must be one step, as
   * `SET … NX PXAT …` of Redis is.
   */
  add(key: string, expiresAt: number): boolean | Promise<boolean>;
}

/** Options of DPoP (RFC 9449). */
export interface DpopOptions {
  readonly mode: DpopMode;
  /** The algorithms of proofs. Default: `ES256`, `ES384`, `EdDSA`, `Ed25519`, `PS256`, `RS256`. */
  readonly algorithms?: readonly DpopAlgorithm[] | undefined;
  /** Whether every proof must have a nonce of this server, so that proofs cannot be made in advance. Default: false. */
  readonly nonces?: boolean | undefined;
  /**
   * The key of the nonces: at least 32 random bytes, the same on all machines. Of several, the first makes nonces, and all are
   * accepted. Default: a key of the cluster that the binding has; without one, a random key.
   */
  readonly key?: Secret | readonly Secret[] | undefined;
  /** Where proofs are remembered. Default: in the cluster that the binding has; without one, in the memory of this process. */
  readonly replay?: ReplayStore | undefined;
}

const DPOP_ALGORITHMS = ["ES256", "ES384", "EdDSA", "Ed25519", "PS256", "RS256"] as const;

/** An algorithm that proofs may be signed with. */
export type DpopAlgorithm = (typeof DPOP_ALGORITHMS)[number];

const DPOP_OPTIONS: OptionNames<DpopOptions> = { mode: true, algorithms: true, nonces: true, key: true, replay: true };

/** Checked options. */
export interface DpopSettings {
  readonly isRequired: boolean;
  readonly algorithms: readonly string[];
  readonly wantsNonces: boolean;
  readonly keys: readonly Uint8Array[];
  readonly replay: ReplayStore | undefined;
}

/** Checks the options of DPoP. `undefined` if it is not used. */
export function readDpopOptions(given: DpopMode | false | DpopOptions | undefined): DpopSettings | undefined {
  if (given === undefined || given === false) return undefined;
  const options: DpopOptions = typeof given === "string" ? { mode: given } : given;
  const isMode = isObject(options) && (options.mode === "accepted" || options.mode === "required");
  expectOption("dpop", given, isMode, '"accepted", "required", false, or an object with one of them as `mode`');
  expectOptions("dpop", options, DPOP_OPTIONS);
  const { mode, algorithms = DPOP_ALGORITHMS, nonces, key, replay } = options;
  if (replay !== undefined) {
    expectOption("dpop.replay", replay, typeof replay?.add === "function", "a store with a function `add`");
  }
  return {
    isRequired: mode === "required",
    algorithms: expectAlgorithms("dpop.algorithms", algorithms, DPOP_ALGORITHMS),
    wantsNonces: expectBoolean("dpop.nonces", nonces, false),
    keys: readSecrets(key, "dpop.key"),
    replay,
  };
}
