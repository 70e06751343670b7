import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { readOAuthChallenge } from "../../src/auth/discovery/challenge.ts";
import type { TokenPlace } from "../../src/auth/discovery/discover.ts";
import { ScopeMemory, selectScopes } from "../../src/auth/providers/scopes.ts";
import type { AuthRefusal } from "../../src/transports/client-auth.ts";

/** A place whose metadata name these scopes, and those of its authorization server. */
function placeWith(scopes: readonly string[] | undefined, scopes_supported?: readonly string[]): TokenPlace {
  const issuer = { issuer: "https://as.example", token_endpoint: "https://as.example/token", scopes_supported };
  return { issuer, resource: "https://mcp.example/mcp", scopes, isGuessed: false } as unknown as TokenPlace;
}

const NOTHING = {
  before: undefined,
  configured: undefined,
  challenge: readOAuthChallenge(undefined),
  place: placeWith(undefined),
  needsUser: true,
};

describe("the scopes to ask for", () => {
  test("are those of the application, else those of the challenge, else those of the metadata, else none", () => {
    const all = {
      ...NOTHING,
      configured: ["configured"],
      challenge: readOAuthChallenge("Bearer scope=challenged"),
      place: placeWith(["listed"]),
    };
    expect(selectScopes(all)).toEqual(["configured"]);
    expect(selectScopes({ ...all, configured: undefined })).toEqual(["challenged"]);
    expect(selectScopes({ ...all, configured: undefined, challenge: NOTHING.challenge })).toEqual(["listed"]);
    expect(selectScopes(NOTHING)).toBeUndefined();
  });

  test("keep those that were asked for before", () => {
    expect(selectScopes({ ...NOTHING, before: ["a", "b"], configured: ["b", "c"] })).toEqual(["a", "b", "c"]);
  });

  test("have those that a call lacks, whatever the application says", () => {
    const lacking = readOAuthChallenge('Bearer error=insufficient_scope, scope="x y"');
    expect(selectScopes({ ...NOTHING, configured: ["a"], challenge: lacking })).toEqual(["a", "x", "y"]);
    const other = readOAuthChallenge('Bearer error=invalid_token, scope="x y"');
    expect(selectScopes({ ...NOTHING, configured: ["a"], challenge: other })).toEqual(["a"]);
  });

  test("have `offline_access` for a user where it is offered, and never alone", () => {
    const place = placeWith(["a"], ["a", "offline_access"]);
    expect(selectScopes({ ...NOTHING, place })).toEqual(["a", "offline_access"]);
    expect(selectScopes({ ...NOTHING, place, needsUser: false })).toEqual(["a"]);
    expect(selectScopes({ ...NOTHING, place: placeWith(["a"], ["a"]) })).toEqual(["a"]);
    expect(selectScopes({ ...NOTHING, place: placeWith(undefined, ["offline_access"]) })).toBeUndefined();
  });
});

describe("more scopes", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
  afterEach(() => void vi.useRealTimers());

  const refusal = (previous: readonly AuthRefusal[] = []): AuthRefusal => ({ previous }) as unknown as AuthRefusal;

  test("may be asked for twice by one call, and again by the next", () => {
    const memory = new ScopeMemory();
    const first = refusal();
    const asked = [first, refusal([first]), refusal([first]), refusal()];
    expect(asked.map((each) => memory.mayAsk(each, ["a"], []))).toEqual([true, true, false, true]);
  });

  test("are not asked for if they were requested already, and are if one of them was not", () => {
    const memory = new ScopeMemory();
    expect(memory.mayAsk(refusal(), ["a", "b"], ["b", "a", "c"])).toBe(false);
    expect(memory.mayAsk(refusal(), ["a", "b"], ["a"])).toBe(true);
  });

  test("that were refused are not asked for again for ten minutes, in whatever order they come", () => {
    const memory = new ScopeMemory();
    memory.refused(["b", "a"]);
    expect(memory.mayAsk(refusal(), ["a", "b"], [])).toBe(false);
    expect(memory.mayAsk(refusal(), ["a"], [])).toBe(true);
    vi.advanceTimersByTime(10 * 60_000 - 1);
    expect(memory.mayAsk(refusal(), ["a", "b"], [])).toBe(false);
    vi.advanceTimersByTime(1);
    expect(memory.mayAsk(refusal(), ["a", "b"], [])).toBe(true);
  });

  test("that were refused are remembered up to a hundred sets, and until a logout", () => {
    const memory = new ScopeMemory();
    for (let index = 0; index < 100; index += 1) memory.refused([`s${index}`]);
    expect(memory.mayAsk(refusal(), ["s0"], [])).toBe(false);
    memory.refused(["one too many"]);
    expect(memory.mayAsk(refusal(), ["s0"], [])).toBe(true);
    expect(memory.mayAsk(refusal(), ["one too many"], [])).toBe(false);
    memory.clear();
    expect(memory.mayAsk(refusal(), ["one too many"], [])).toBe(true);
  });

  test("of the last login are known for its issuer, until a logout", () => {
    const memory = new ScopeMemory();
    memory.requested("https://as.example", ["a"]);
    expect(memory.at("https://as.example")).toEqual(["a"]);
    expect(memory.at("https://other.example")).toBeUndefined();
    memory.requested("https://as.example", undefined);
    expect(memory.at("https://as.example")).toBeUndefined();
    memory.requested("https://as.example", ["b"]);
    memory.clear();
    expect(memory.at("https://as.example")).toBeUndefined();
  });
});
