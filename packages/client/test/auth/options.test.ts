import { bearer, clientCredentials, enterprise, oauth, workload } from "@toolwire/client/auth";
import { describe, expect, test } from "vitest";

const ISSUER = "https://as.example";
const CLIENT = { id: "app", secret: "a-canary-secret", issuer: ISSUER };
const KEY = { id: "app", key: "no key", issuer: ISSUER };
const work = (more: object = {}): unknown => workload({ issuer: ISSUER, assertion: () => "a", ...more } as never);
const machine = (more: object = {}): unknown => clientCredentials({ ...CLIENT, ...more } as never);
const employee = (more: object = {}): unknown =>
  enterprise({ idp: CLIENT, client: CLIENT, idToken: "a-canary-token", ...more } as never);

test("options that are right make a provider", () => {
  for (const make of [work, machine, employee]) expect(make).not.toThrow();
  expect(() => work({ id: "app", scopes: ["a"], dpop: "required", resource: "exact" })).not.toThrow();
  expect(() => machine({ dpop: false, resource: false })).not.toThrow();
  expect(() => machine({ secret: undefined, key: "later", algorithm: "RS256" })).not.toThrow();
  expect(() => machine({ authorizationServer: { issuer: ISSUER } })).not.toThrow();
  expect(() => machine({ key: undefined, algorithm: "of no key" })).not.toThrow();
  expect(() => employee({ idToken: undefined, refreshToken: async () => "r" })).not.toThrow();
  expect(() => oauth({ authorizationServer: { issuer: ISSUER }, resource: false })).not.toThrow();
  expect(() => oauth({ client: { metadataUrl: "https://app.example/client.json" } })).not.toThrow();
});

describe("an option that is wrong is named, with what was expected and without its value", () => {
  test.each<[string, () => unknown]>([
    ["options", () => oauth(7 as never)],
    ["workload.issuer", () => work({ issuer: "canary" })],
    ["workload.issuer", () => workload(undefined as never)],
    ["workload.assertion", () => work({ assertion: "canary" })],
    ["workload.id", () => work({ id: "" })],
    ["scopes", () => work({ scopes: "canary" })],
    ["scopes", () => work({ scopes: ["a", 7] })],
    ["dpop", () => work({ dpop: "canary" })],
    ["dpop", () => work({ dpop: true })],
    ["store", () => work({ store: {} })],
    ["store", () => work({ store: { get: () => undefined } })],
    ["store", () => work({ store: { swap: () => undefined } })],
    ["resource", () => oauth({ resource: false })],
    ["authorizationServer.issuer", () => machine({ authorizationServer: { issuer: "https://other.example" } })],
    ["authorizationServer.issuer", () => oauth({ authorizationServer: { issuer: "canary" } })],
    ["clientCredentials.id", () => machine({ id: "" })],
    ["clientCredentials.issuer", () => machine({ issuer: undefined })],
    ["clientCredentials.secret", () => machine({ secret: 7 })],
    ["clientCredentials.secret", () => machine({ secret: "" })],
    ["clientCredentials.algorithm", () => clientCredentials({ ...KEY, algorithm: "HS256" as never })],
    ...["http://app.example/c", "https://app.example", "https://app.example/c#x", "https://u@app.example/c", 7].map(
      (metadataUrl): [string, () => unknown] => [
        "client.metadataUrl",
        () => oauth({ client: { metadataUrl } as never }),
      ],
    ),
    ["client", () => oauth({ client: 7 as never })],
    ["enterprise.idp", () => employee({ idp: undefined })],
    ["enterprise.idp.id", () => employee({ idp: { ...CLIENT, id: 7 } })],
    ["enterprise.idp.issuer", () => employee({ idp: { ...CLIENT, issuer: "canary" } })],
    ["enterprise.client.secret", () => employee({ client: { ...CLIENT, secret: 7 } })],
    ["enterprise.client.issuer", () => employee({ client: { ...CLIENT, issuer: undefined } })],
    ["enterprise.idToken", () => employee({ idToken: undefined })],
    ["enterprise.idToken", () => employee({ idToken: 7 })],
  ])("%s", (name, make) => {
    let failure: unknown;
    try {
      make();
    } catch (error) {
      failure = error;
    }
    expect(failure).toMatchObject({ name: "UsageError", code: "INVALID_ARGUMENT" });
    expect((failure as Error).message).toMatch(new RegExp(`^\\\`${name.replaceAll(".", "\\.")}\\\` must be .+; got `));
    expect((failure as Error).message).not.toContain("canary");
  });

  test("a token of `bearer` is a text or a function", () => {
    expect(() => bearer(7 as never)).toThrow(/bearer/i);
  });
});
