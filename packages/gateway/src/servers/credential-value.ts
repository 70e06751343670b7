import type { CredentialText } from "../config/config.ts";
import { lookUp, parseReferences, type ReferenceSources, type TextPart } from "../config/references.ts";
import type { SecretStore } from "../storage/storage.ts";

/** A text with references. Those to the environment and to files are filled in; secrets are looked up for each call. */
export interface PreparedValue {
  /** The value for a request. `undefined` if a secret is not set: shared ones, or with `perUser` those of the principal. */
  get(principal: string | undefined): string | undefined;
  /** The names of the secrets in it. */
  readonly secrets: readonly string[];
}

/** Prepares the text of a credential. A reference that is not set makes it have no value. */
export function prepareValue(
  text: CredentialText,
  perUser: boolean,
  sources: ReferenceSources,
  store: Pick<SecretStore, "get">,
): PreparedValue {
  const parts = parseReferences(text);
  if (typeof parts === "string") return { get: () => undefined, secrets: [] };
  const filled = parts.map((part) => fill(part, sources));
  const secrets = filled.flatMap((part) => (typeof part === "object" ? [part.secret] : []));
  if (secrets.length === 0) {
    const texts = filled.filter((part) => typeof part === "string");
    const fixed = texts.length === filled.length ? texts.join("") : undefined;
    return { get: () => fixed, secrets };
  }
  return {
    secrets,
    get(principal) {
      if (perUser && principal === undefined) return undefined;
      let value = "";
      for (const part of filled) {
        const piece =
          typeof part === "object" ? store.get(part.secret, perUser ? principal : undefined)?.reveal() : part;
        if (piece === undefined) return undefined;
        value += piece;
      }
      return value;
    },
  };
}

function fill(part: TextPart, sources: ReferenceSources): string | undefined | { readonly secret: string } {
  if (part.kind === "text") return part.text;
  if (part.kind === "secret") return { secret: part.name };
  return lookUp({ kind: part.kind, name: part.name }, sources);
}
