import type { JsonSchema } from "@toolwire/server";
import type { LoadedDocument } from "../document/references.ts";

/** `input` for arguments of requests, `output` for responses. */
export type Direction = "input" | "output";

/** A converted schema, and the names of the definitions that it refers to. */
export interface Fragment {
  readonly schema: JsonSchema;
  readonly references: ReadonlySet<string>;
  /** Losses that a user should know of. */
  readonly notes: ReadonlySet<string>;
}

/** A fragment while it is made. */
export interface Work {
  readonly references: Set<string>;
  readonly notes: Set<string>;
}

/** A schema of a document while it is converted. */
export interface Place {
  readonly document: LoadedDocument;
  readonly pointer: string;
  readonly nesting: number;
}

/** The place of a member. */
export function deeper(place: Place, token: string): Place {
  const escaped =
    token.includes("/") && !token.startsWith("allOf/") ? token.replaceAll("~", "~0").replaceAll("/", "~1") : token;
  return { ...place, pointer: `${place.pointer}/${escaped}`, nesting: place.nesting + 1 };
}
