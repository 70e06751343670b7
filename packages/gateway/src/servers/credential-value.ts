import type { CredentialText } from "../config/config.ts";
import { type FilledPiece, hiddenValues } from "../config/hidden-values.ts";
import { lookUp, parseReferences, type ReferenceSources, type TextPart } from "../config/references.ts";
import type { SecretStore } from "../storage/storage.ts";

/** A text with references. Those to the environment and to files are filled in; secrets are looked up for each call. */
export interface PreparedValue {
  /** The value for a request. `undefined` if a secret is not set: shared ones, or with `perUser` those of the principal. */
  get(principal: string | undefined): string | undefined;
  /** The parts of the value that nobody may see, because they come from references. */
  hidden(principal: string | undefined): readonly string[];
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
  if (typeof parts === "string") return { get: () => undefined, hidden: () => [], secrets: [] };
  const filled = parts.map((part) => fill(part, sources));
  const secrets = filled.flatMap((part) => ("secret" in part ? [part.secret] : []));
  const piecesFor = (principal: string | undefined): readonly FilledPiece[] | undefined => {
    if (secrets.length > 0 && perUser && principal === undefined) return undefined;
    const pieces: FilledPiece[] = [];
    for (const part of filled) {
      const value = "secret" in part ? store.get(part.secret, perUser ? principal : undefined)?.reveal() : part.text;
      if (value === undefined) return undefined;
      pieces.push({ text: value, isReference: "secret" in part || part.isReference });
    }
    return pieces;
  };
  if (secrets.length === 0) {
    const pieces = piecesFor(undefined);
    const fixed = pieces && join(pieces);
    const hidden = hiddenValues(pieces ?? []);
    return { get: () => fixed, hidden: () => hidden, secrets };
  }
  return {
    secrets,
    get(principal) {
      const pieces = piecesFor(principal);
      return pieces && join(pieces);
    },
    hidden: (principal) => hiddenValues(piecesFor(principal) ?? []),
  };
}

function join(pieces: readonly FilledPiece[]): string {
  let text = "";
  for (const piece of pieces) text += piece.text;
  return text;
}

type FilledPart = { readonly text: string | undefined; readonly isReference: boolean } | { readonly secret: string };

function fill(part: TextPart, sources: ReferenceSources): FilledPart {
  if (part.kind === "text") return { text: part.text, isReference: false };
  if (part.kind === "secret") return { secret: part.name };
  return { text: lookUp({ kind: part.kind, name: part.name }, sources), isReference: true };
}
