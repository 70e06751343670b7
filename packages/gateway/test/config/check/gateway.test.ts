import { expect, test } from "vitest";
import { messagesOf } from "../problems-of.ts";

const POSTGRES = { version: 1, analytics: { store: "postgres", url: "${env:DB}" }, servers: {} };

test("a variable that is empty counts as not set, and the message says that it is empty", () => {
  const config = { version: 1, admin: { token: "${env:T}" }, servers: {} };
  expect(messagesOf(config, {})).toEqual([
    "error: admin.token: ${env:T} is not set. Set the environment variable T before the gateway starts.",
  ]);
  expect(messagesOf(config, { T: "" })).toEqual([
    "error: admin.token: ${env:T} is empty, which counts as not set. Give the environment variable T a value.",
  ]);
  expect(messagesOf({ version: 1, listen: { publicUrl: "${env:T}" }, servers: {} }, { T: "" })).toEqual([
    "error: listen.publicUrl: ${env:T} is empty, which counts as not set. Give the environment variable T a value.",
  ]);
});

test("Postgres without sealing keys is a warning that says what fails and how to set them", () => {
  const warning = expect.stringMatching(
    /^warning: analytics\.store: TOOLWIRE_GATEWAY_KEYS is not set.*`toolwire-gateway secret set`.*logins at upstreams.*openssl rand -base64 32/,
  ) as string;
  for (const keys of [undefined, "", " "]) {
    expect(messagesOf(POSTGRES, { DB: "x", TOOLWIRE_GATEWAY_KEYS: keys })).toEqual([warning]);
  }
  expect(messagesOf(POSTGRES, { DB: "x", TOOLWIRE_GATEWAY_KEYS: "k1:x" })).toEqual([]);
  expect(messagesOf({ version: 1, analytics: { store: "pglite" }, servers: {} })).toEqual([]);
});

test("Postgres needs a URL", () => {
  const messages = messagesOf(
    { version: 1, analytics: { store: "postgres" }, servers: {} },
    { TOOLWIRE_GATEWAY_KEYS: "k" },
  );
  expect(messages).toEqual([expect.stringContaining("With `store: postgres`, `url` is needed")]);
});

test("the key of sealed state has at least 32 bytes", () => {
  const of = (key: string): readonly string[] => messagesOf({ version: 1, stateKey: "${env:K}" }, { K: key });
  expect(of("k".repeat(31))).toEqual([expect.stringMatching(/^error: stateKey: .*at least 32 random bytes/)]);
  expect(of("k".repeat(32))).toEqual([]);
  // Bytes count, not characters.
  expect(of("é".repeat(16))).toEqual([]);
  expect(messagesOf({ version: 1, stateKey: "${secret:k}" })).toEqual([]);
});

test("times of the call log are durations", () => {
  const of = (calls: string): readonly string[] => messagesOf({ version: 1, analytics: { retention: { calls } } });
  expect(of("30d")).toEqual([]);
  for (const wrong of ["30 days", "0d", "d", "-1d"]) {
    expect(of(wrong)).toEqual([expect.stringMatching(/^error: analytics\.retention\.calls: This is not a duration/)]);
  }
});

test("a listener for other machines, and a page for them, are warnings", () => {
  expect(messagesOf({ version: 1, listen: { host: "0.0.0.0" }, admin: { host: "0.0.0.0" } })).toEqual([
    expect.stringMatching(/^warning: listen: .*allowedHosts/),
    expect.stringMatching(/^warning: admin\.host: The admin API can be reached from other machines/),
  ]);
  expect(messagesOf({ version: 1, listen: { host: "::1" }, admin: { host: "127.0.0.2" } })).toEqual([]);
  expect(messagesOf({ version: 1, listen: { host: "0.0.0.0", publicUrl: "https://a.example" } })).toEqual([]);
  expect(messagesOf({ version: 1, listen: { host: "0.0.0.0", allowedHosts: ["a"] } })).toEqual([]);
});

test.each(["https://a.example/path", "https://a.example/?a", "https://a.example/#a", "http://a.example", "a.example"])(
  "the public URL is not %s",
  (publicUrl) => {
    expect(messagesOf({ version: 1, listen: { publicUrl } })).toEqual([
      expect.stringMatching(/^error: listen\.publicUrl: This/),
    ]);
  },
);

test("an engine has a URL of its kind, whose password is not in the file", () => {
  const of = (cluster: object, url = ""): readonly string[] =>
    messagesOf({ ...POSTGRES, cluster }, { DB: "x", TOOLWIRE_GATEWAY_KEYS: "k1:x", URL: url });
  expect(of({ engine: "redis", url: "${env:URL}" }, "rediss://user:pass@host:6379")).toEqual([]);
  expect(of({ engine: "redis", url: "redis://redis:6379" })).toEqual([]);
  expect(of({ engine: "postgres", url: "${env:URL}" }, "postgres://user:pass@host/db")).toEqual([]);
  expect(of({ engine: "redis", url: "redis://:canary@redis:6379" })).toEqual([
    expect.stringMatching(/^warning: cluster\.url: This credential is in the file itself/),
  ]);
  expect(of({ engine: "redis", url: "${env:URL}" }, "postgres://user:canary@host")).toEqual([
    "error: cluster.url: The URL of this engine begins with redis:// or rediss://.",
  ]);
  expect(of({ engine: "postgres", url: "${env:URL}", prefix: "x" }, "postgres://host/db")).toEqual([
    "error: cluster.prefix: Postgres has no prefix: `schema`.",
  ]);
});

test("gateways that share an engine and nothing else are warned of", () => {
  const cluster = { engine: "redis", url: "redis://redis:6379" };
  expect(messagesOf({ version: 1, cluster })).toEqual([
    expect.stringMatching(/^warning: cluster: Keys, secrets, servers of the page, logins and the call log/),
  ]);
});

test("workers need a store that they can share, and serve one machine", () => {
  expect(messagesOf({ version: 1, listen: { workers: "auto", drain: 0 } })).toEqual([]);
  expect(messagesOf({ version: 1, listen: { workers: 2 }, analytics: { store: "memory" } })).toEqual([
    expect.stringMatching(/^error: listen\.workers: Workers share what the gateway keeps/),
  ]);
  const cluster = { engine: "redis", url: "redis://redis:6379" };
  expect(messagesOf({ ...POSTGRES, listen: { workers: 2 }, cluster }, { DB: "x", TOOLWIRE_GATEWAY_KEYS: "k" })).toEqual(
    [expect.stringMatching(/^error: listen\.workers: `workers` cannot be combined with `cluster`/)],
  );
  expect(messagesOf({ version: 1, listen: { workers: 0 } })).not.toEqual([]);
});
