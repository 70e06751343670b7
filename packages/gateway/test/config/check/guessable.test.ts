import fc from "fast-check";
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { findGuessable } from "../../../src/config/check/guessable.ts";
import { messagesOf } from "../problems-of.ts";

test.each([
  ["abc", "fewer than 16 characters"],
  ["q7Rk2pVx9LmZ4tY", "fewer than 16 characters"],
  ["aab1baab1ba1abab1", "fewer than 6 different characters"],
  ["q7Rk2pVxq7Rk2pVx", "repeats the same few characters"],
  ["passwordpassword1", "common words"],
  ["change-me-please-now", "common words"],
  ["P@ssw0rd-admin-2024", "common words"],
  ["1234567890abcdefghij", "common words and runs"],
  ["zyxwvutsrqponmlk", "common words and runs"],
  ["password-q7rk2pvx9", "common words and runs"],
  ["q7rk2p-1234-abcd", "common words and runs"],
  ["toolwire-gateway-admin-token", "common words"],
])("the token %s can be guessed", (token, reason) => {
  expect(findGuessable(token)).toContain(reason);
});

test.each([
  "q7Rk2pVx9LmZ4tYb",
  "abcfaebdcfbdeafc",
  "correct-horse-battery-staple",
  "password-q7rk2pvx9l",
  "q7rk2p-123-abc-x9",
])("the token %s does not look as if it can be guessed", (token) => {
  expect(findGuessable(token)).toBeUndefined();
});

test("random tokens do not look as if they can be guessed, in any usual form", () => {
  for (let round = 0; round < 300; round += 1) {
    for (const form of ["hex", "base64", "base64url"] as const) {
      const token = randomBytes(32).toString(form);
      expect(findGuessable(token), token).toBeUndefined();
    }
  }
});

test("what is repeated stays guessable, however often", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 12 }), fc.integer({ min: 16, max: 24 }), (piece, times) => {
      expect(findGuessable(piece.repeat(times))).toBeDefined();
    }),
  );
});

test("an admin token that can be guessed is a warning that names no part of it, and says how to make a good one", () => {
  const config = { version: 1, admin: { token: "${env:T}" }, servers: {} };
  expect(messagesOf(config, { T: "canary" })).toEqual([
    "warning: admin.token: This token can be guessed: it has fewer than 16 characters. Make one with `openssl rand -base64 32`.",
  ]);
  expect(messagesOf(config, { T: "q7Rk2pVx9LmZ4tYb" })).toEqual([]);
  expect(messagesOf({ ...config, admin: { token: "${secret:t}" } })).toEqual([]);
  expect(messagesOf({ ...config, admin: { token: "canary" } })).toEqual([
    expect.stringContaining("This credential is in the file itself"),
    expect.stringContaining("This token can be guessed"),
  ]);
});
