/** Checks of definitions, on top of the checks of options that all packages share. */
import { expectKnownNames, expectTexts, type NameHints } from "@toolwire/protocol/internal";

const LISTING_TEXTS = ["title", "description", "websiteUrl", "instructions", "mimeType"] as const;

/** Checks the members of a definition that are texts for people or models, as far as they are present. */
export function expectListingTexts(definition: object): void {
  expectTexts(definition as { readonly [Name in (typeof LISTING_TEXTS)[number]]?: unknown }, LISTING_TEXTS);
}

/**
 * Refuses members of a definition with unknown names. A definition may repeat the name under which it is added.
 *
 * @throws UsageError as `expectKnownNames` does
 */
export function expectDefinitionNames(
  kind: "tool" | "prompt" | "resource",
  name: string,
  given: object,
  names: object,
  hints: NameHints,
): void {
  const repeats = (given as { readonly name?: unknown }).name === name;
  expectKnownNames(`${kind}()`, given, repeats ? { ...names, name: true } : names, hints);
}

/**
 * A copy of an object without its undefined members. Transports that pass objects by reference would otherwise show
 * them.
 */
export function defined<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
