import { SHORTEST_SECRET } from "@toolwire/protocol/internal";
import { lookUp, type ReferenceSources, type TextPart } from "./references.ts";

/** Says that a credential is too short to be found in texts; `undefined` if it is not, or has no value yet. */
export function explainShortSecret(parts: readonly TextPart[], sources: ReferenceSources): string | undefined {
  let value = "";
  for (const part of parts) {
    if (part.kind === "secret") return undefined;
    const piece = part.kind === "text" ? part.text : lookUp({ kind: part.kind, name: part.name }, sources);
    if (piece === undefined) return undefined;
    value += piece;
  }
  if (value.trim().length >= SHORTEST_SECRET || value === "") return undefined;
  return `This credential has fewer than ${SHORTEST_SECRET} characters, so it stays where an API repeats it. Use a longer one.`;
}
