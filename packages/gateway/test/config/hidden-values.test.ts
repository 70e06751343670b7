import { describe, expect, test } from "vitest";
import { fillIn } from "../../src/config/references.ts";

const ENV = {
  KEY: "key-of-an-api",
  HOST: "api.example.com",
  BASE: "https://api.example.com/v1/",
  HOOK: "https://hooks.example.com:8443/services/T0000/B0000/abcdefghijklmnopqrst?token=ABCDEFGHIJKLMNOPQRST&x=1",
  DATABASE: "postgres://user:p%40ssword@db.example.com/toolwire",
  KEY_URL: "https://only-a-key@api.example.com",
};

function hiddenIn(text: string): readonly string[] {
  const filled = fillIn(text, { env: ENV, folder: "." });
  return "text" in filled ? filled.hidden : [];
}

describe("what comes from a reference is hidden", () => {
  test("alone, and together with what is around it", () => {
    expect(hiddenIn("${env:KEY}")).toEqual([ENV.KEY, ENV.KEY]);
    expect(hiddenIn("Bearer ${env:KEY}")).toEqual([`Bearer ${ENV.KEY}`, ENV.KEY]);
    expect(hiddenIn("no reference")).toEqual([]);
  });

  test("in the path and in the query of a URL", () => {
    expect(hiddenIn("https://api.example.com/${env:KEY}/x?y=${env:KEY}")).toEqual([ENV.KEY, ENV.KEY]);
    expect(hiddenIn("${env:BASE}${env:KEY}")).toEqual(["v1/", ENV.KEY]);
  });

  test("but for the scheme, the host and the port of a URL", () => {
    expect(hiddenIn("https://${env:HOST}/x")).toEqual([]);
    expect(hiddenIn("https://${env:HOST}")).toEqual([]);
    expect(hiddenIn("https://x.${env:HOST}:8080?q=1")).toEqual([]);
    expect(hiddenIn("${env:BASE}customers")).toEqual(["v1/"]);
  });

  test("as the part behind the origin of a URL, and each part of it that is as long as a key", () => {
    expect(hiddenIn("${env:HOOK}")).toEqual([
      ENV.HOOK.slice("https://hooks.example.com:8443/".length),
      "abcdefghijklmnopqrst",
      "ABCDEFGHIJKLMNOPQRST",
    ]);
  });

  test("as the password of a URL, as it is written and as it is meant", () => {
    expect(hiddenIn("${env:DATABASE}")).toEqual(["p%40ssword", "p@ssword", "toolwire"]);
    expect(hiddenIn("${env:KEY_URL}")).toEqual(["only-a-key"]);
  });
});
