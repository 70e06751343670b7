import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type FilledPiece, hiddenValues } from "./hidden-values.ts";

/** A piece of a text with references. */
export type TextPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "env" | "file" | "secret"; readonly name: string };

/** Matches `${kind:name}`, and anything else that looks like an attempt at it. */
const REFERENCE = /\$\{([^{}]{0,300})\}/g;

/** Names of environment variables, files and secrets. */
const FORMS = {
  env: /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
  file: /^[^\0]{1,256}$/,
  secret: /^[A-Za-z0-9_.-]{1,128}$/,
};

/**
 * Splits a text at its references. `$${` is a literal `${`.
 *
 * @returns the parts, or a message that says what is wrong with a reference
 */
export function parseReferences(text: string): readonly TextPart[] | string {
  const parts: TextPart[] = [];
  let end = 0;
  const addText = (piece: string): void => {
    if (piece !== "") parts.push({ kind: "text", text: piece.replaceAll("$${", "${") });
  };
  for (const match of text.matchAll(REFERENCE)) {
    if (text[match.index - 1] === "$") continue;
    const [whole, inside = ""] = match;
    const colon = inside.indexOf(":");
    const kind = inside.slice(0, Math.max(colon, 0));
    const name = inside.slice(colon + 1);
    if (kind !== "env" && kind !== "file" && kind !== "secret") {
      return "A reference is `${env:NAME}`, `${file:path}` or `${secret:name}`. Write `$${` for a literal `${`.";
    }
    if (!FORMS[kind].test(name)) return `The reference \`\${${kind}:…}\` has no valid name.`;
    addText(text.slice(end, match.index));
    parts.push({ kind, name });
    end = match.index + whole.length;
  }
  addText(text.slice(end));
  return parts;
}

/** Whether a text has references. */
export function hasReferences(text: string): boolean {
  const parts = parseReferences(text);
  return typeof parts === "string" || parts.some(({ kind }) => kind !== "text");
}

/** Where references lead to: environment variables and files. Secrets are looked up when they are needed. */
export interface ReferenceSources {
  readonly env: { readonly [name: string]: string | undefined };
  /** The folder that relative paths start from. */
  readonly folder: string;
}

/** The value of one reference. `undefined` if it is not set. A line break at the end of a file is not part of it. */
export function lookUp(
  part: { readonly kind: "env" | "file"; readonly name: string },
  sources: ReferenceSources,
): string | undefined {
  if (part.kind === "env") {
    const value = Object.hasOwn(sources.env, part.name) ? sources.env[part.name] : undefined;
    return value === "" ? undefined : value;
  }
  try {
    const text = readFileSync(resolve(sources.folder, part.name), "utf8").replace(/\r?\n$/, "");
    return text === "" ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Says that a reference is not set, and how to set it. Never shows a value. */
export function explainUnset(part: { readonly kind: "env" | "file" | "secret"; readonly name: string }): string {
  const { kind, name } = part;
  const reference = `\${${kind}:${name}}`;
  if (kind === "env") return `${reference} is not set. Set the environment variable ${name} before the gateway starts.`;
  if (kind === "secret") {
    return `${reference} is not set. Set it with \`toolwire-gateway secret set ${name}\`, or on the page.`;
  }
  return `${reference} cannot be read, or is empty. Paths are relative to the configuration file.`;
}

/** The same for a reference that was looked up: an empty variable is said to be empty. */
export function explainMissing(
  part: { readonly kind: "env" | "file"; readonly name: string },
  { env }: ReferenceSources,
): string {
  const { kind, name } = part;
  if (kind !== "env" || !Object.hasOwn(env, name) || env[name] !== "") return explainUnset(part);
  return `\${env:${name}} is empty, which counts as not set. Give the environment variable ${name} a value.`;
}

/** A text whose references are filled in, and what of it nobody may see. */
export interface FilledText {
  readonly text: string;
  readonly hidden: readonly string[];
}

/**
 * Fills in all references of a text that may not have stored secrets, such as a URL.
 *
 * @returns the text, or the parts that are not set
 */
export function fillIn(text: string, sources: ReferenceSources): FilledText | { readonly problem: string } {
  const parts = parseReferences(text);
  if (typeof parts === "string") return { problem: parts };
  const pieces: FilledPiece[] = [];
  for (const part of parts) {
    if (part.kind === "text") pieces.push({ text: part.text, isReference: false });
    else if (part.kind === "secret") {
      return { problem: "`${secret:…}` cannot be used here, only `${env:…}` and `${file:…}`." };
    } else {
      const reference = { kind: part.kind, name: part.name };
      const value = lookUp(reference, sources);
      if (value === undefined) return { problem: explainMissing(reference, sources) };
      pieces.push({ text: value, isReference: true });
    }
  }
  return { text: pieces.map((piece) => piece.text).join(""), hidden: hiddenValues(pieces) };
}
