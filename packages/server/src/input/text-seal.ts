import type { TextSeal } from "../binding.ts";
import type { Definition } from "../registry/definition.ts";
import { canonicalJson, type Seal, StateSeal } from "./seal.ts";
import { ChosenSeal } from "./server-seal.ts";

/** Makes a seal with the keys of a server for text that travels through clients. `undefined` if the server was given none. */
export function createTextSeal(definition: Definition, purpose: string, lifetimeMs: number): TextSeal | undefined {
  const keys = definition.listStateKeys();
  return keys.length === 0 ? undefined : sealFor(definition, purpose, new StateSeal(keys, lifetimeMs));
}

/** The same for text that is kept for long, also with the keys that nodes share. */
export function createLastingSeal(definition: Definition, purpose: string): TextSeal | undefined {
  const secrets = definition.listStateKeys();
  const keys = definition.cluster.current?.keys;
  if (secrets.length === 0 && keys === undefined) return undefined;
  return sealFor(definition, purpose, new ChosenSeal(secrets, Number.MAX_SAFE_INTEGER).choose(keys));
}

/** Servers that share keys are told apart by their names. */
function sealFor({ info }: Definition, purpose: string, seal: Seal): TextSeal {
  const contextOf = (caller: string | undefined): string => canonicalJson([purpose, info.name, caller ?? null]);
  return {
    seal: (value, caller) => seal.seal(value, contextOf(caller)),
    open: (text, caller) => seal.open(text, contextOf(caller)),
  };
}
