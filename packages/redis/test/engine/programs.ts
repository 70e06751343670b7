import { findRedis, findValkey, type FoundRedis } from "@toolwire/engines";

/** The engines of this machine. `npm run engines` says which are missing. */
export const PROGRAMS: readonly (FoundRedis & { readonly name: string })[] = [
  { name: "Redis", found: findRedis() },
  { name: "Valkey", found: findValkey() },
].flatMap(({ name, found }) => (found === undefined ? [] : [{ name, ...found }]));
