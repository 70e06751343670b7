import type { AuthStore } from "@toolwire/client/auth";
import { isObject } from "@toolwire/protocol/internal";
import { isSecretName } from "./secret-fields.ts";

/** Notes the tokens and secrets that are kept: an authorization server may repeat them in an error. */
export function watchStore(store: AuthStore, note: (secret: string) => void): AuthStore {
  const look = (value: unknown): void => {
    if (!isObject(value)) return;
    for (const [name, member] of Object.entries(value)) {
      if (typeof member !== "string") look(member);
      else if (isSecretName(name)) note(member);
    }
  };
  return {
    async get(key) {
      const found = await store.get(key);
      look(found?.value);
      return found;
    },
    swap(key, expected, next) {
      look(next);
      return store.swap(key, expected, next);
    },
    ...(store.lock !== undefined && { lock: (key, work, options) => store.lock!(key, work, options) }),
    holdsObjects: store.holdsObjects,
  };
}
