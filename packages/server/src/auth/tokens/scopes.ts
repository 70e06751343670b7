import { expectOption, isObject } from "@toolwire/protocol/internal";
import type { Claims } from "./verified.ts";

/** A scope (RFC 6749, section 3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Whether a value is a scope. */
export function isScope(value: unknown): value is string {
  return typeof value === "string" && SCOPE.test(value);
}

/** Checks an option that lists scopes. */
export function expectScopes(name: string, value: unknown): readonly string[] {
  const fits = Array.isArray(value) && value.every(isScope);
  return expectOption(name, value, fits, 'a list of scopes such as ["mcp:read"], without spaces') as readonly string[];
}

/** Reads the scopes in these claims: texts with spaces between the scopes, or lists. */
export function readScopes(claims: Claims, names: readonly string[]): readonly string[] {
  const found = names.flatMap((name) => {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
    if (typeof value === "string") return value.split(" ");
    return Array.isArray(value) ? (value as unknown[]) : [];
  });
  return [...new Set(found.filter(isScope))];
}

/** The scopes that a scope stands for besides itself. */
export type ImpliedScopes = { readonly [scope: string]: readonly string[] };

/** Returns a function that adds implied scopes, and those that they imply in turn. Scopes may imply each other. */
export function createExpansion(implies: ImpliedScopes = {}): (scopes: readonly string[]) => readonly string[] {
  expectOption("implies", implies, isObject(implies), "an object with a list of scopes for each scope");
  const table = new Map(
    Object.entries(implies).map(([scope, implied]) => [
      scope,
      expectScopes(`implies[${JSON.stringify(scope)}]`, implied),
    ]),
  );
  return (scopes) => {
    const all = new Set(scopes);
    // A set that grows while it is gone through is gone through to its end, and has each scope once.
    for (const scope of all) table.get(scope)?.forEach((implied) => all.add(implied));
    return Object.freeze([...all]);
  };
}
