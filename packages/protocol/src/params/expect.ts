/** Checks of single values in the parameters of a request. */

import { ErrorCode, RpcError } from "../errors.ts";
import { nameOf } from "../messages/parse.ts";
import type { ClientCapabilities, Implementation } from "../model/basic.ts";
import { isObject } from "../model/json.ts";

/** An object whose members have not been checked yet. */
export type Unread = { readonly [key: string]: unknown };

/*
 * Each check takes the path of the value in two parts, which are only joined for an error: these checks run for every
 * request, and joining strings takes time.
 */

/** The error that refuses parameters. It names the kind of the value, but never repeats values of the peer. */
export function invalidParams(where: string, expected: string, instead: string): RpcError {
  return new RpcError(ErrorCode.InvalidParams, `Invalid params: \`${where}\` must be ${expected}, but is ${instead}.`);
}

/**
 * The parameters as an object, with a usable `_meta` if there is one. Members that are null are left out: some clients
 * write null for absent ones.
 */
export function expectParams(params: unknown): Unread {
  let object = expectObject(params, "params");
  // Members are rarely null, so the check makes no list of all values, which would be garbage at once.
  for (const name in object) {
    if (object[name] !== null) continue;
    object = Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
    break;
  }
  expectOptionalObject(object["_meta"], "_meta");
  return object;
}

/** A value that has to be an object. */
export function expectObject(value: unknown, where: string, member = ""): Unread {
  if (!isObject(value)) throw invalidParams(where + member, "an object", nameOf(value));
  return value;
}

/** A value that has to be an object, if it is there. */
export function expectOptionalObject(value: unknown, where: string, member = ""): Unread | undefined {
  return value === undefined ? undefined : expectObject(value, where, member);
}

/** A value that has to be a string. */
export function expectString(value: unknown, where: string, member = ""): string {
  if (typeof value !== "string") throw invalidParams(where + member, "a string", nameOf(value));
  return value;
}

/** A value that has to be a string, if it is there. */
export function expectOptionalString(value: unknown, where: string): string | undefined {
  return value === undefined ? undefined : expectString(value, where);
}

/** A map of strings, such as the arguments of a prompt. Over memory channels, some may be undefined. */
export function expectOptionalStrings(value: unknown, where: string): void {
  const map = expectOptionalObject(value, where);
  if (map === undefined) return;
  for (const item of Object.values(map)) expectOptionalString(item, `${where}.*`);
}

/** A value that has to be one of several strings. */
export function expectOneOf<T extends string>(value: unknown, allowed: readonly T[], where: string): T {
  const found = allowed.find((item) => item === value);
  if (found !== undefined) return found;
  const instead = typeof value === "string" ? "another string" : nameOf(value);
  throw invalidParams(where, `one of ${allowed.join(", ")}`, instead);
}

/** The name and version of the peer. */
export function expectImplementation(value: unknown, where: string): Implementation {
  const object = expectObject(value, where);
  expectString(object["name"], where, ".name");
  expectString(object["version"], where, ".version");
  return object as unknown as Implementation;
}

/**
 * The capabilities of the client. A capability counts if its member is present, so a member that is not an object, such
 * as `false`, would be misread. Unknown members are left alone.
 */
export function expectClientCapabilities(value: unknown, where: string): ClientCapabilities {
  const object = expectObject(value, where);
  const elicitation = expectOptionalObject(object["elicitation"], where, ".elicitation");
  if (elicitation !== undefined) {
    expectOptionalObject(elicitation["form"], where, ".elicitation.form");
    expectOptionalObject(elicitation["url"], where, ".elicitation.url");
  }
  const sampling = expectOptionalObject(object["sampling"], where, ".sampling");
  if (sampling !== undefined) {
    expectOptionalObject(sampling["tools"], where, ".sampling.tools");
    expectOptionalObject(sampling["context"], where, ".sampling.context");
  }
  expectOptionalObject(object["roots"], where, ".roots");
  expectOptionalObject(object["extensions"], where, ".extensions");
  expectOptionalObject(object["experimental"], where, ".experimental");
  return object as ClientCapabilities;
}
