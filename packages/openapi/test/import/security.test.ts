import { describe, expect, it } from "vitest";
import { apiKey, basic, bearer } from "../../src/credentials/kinds.ts";
import type { OpenApiOptions } from "../../src/import/options.ts";
import { listOpenApi, readOpenApi } from "../../src/import/read-open-api.ts";
import { BASE_URL, documentOf } from "./documents.ts";

const SCHEMES = {
  token: { type: "http", scheme: "Bearer" },
  key: { type: "apiKey", in: "header", name: "X-Key" },
  inQuery: { type: "apiKey", in: "query", name: "api_key" },
  login: { type: "http", scheme: "basic" },
  oauth: { type: "oauth2", flows: {} },
  digest: { type: "http", scheme: "digest" },
  tls: { type: "mutualTLS" },
  oidc: { type: "openIdConnect", openIdConnectUrl: "https://id.example" },
};

/** The headers and the path of the request of the only operation, or the reason why it is no tool. */
async function send(security: unknown, auth: OpenApiOptions["auth"], rootSecurity?: unknown): Promise<object | string> {
  const document = documentOf(
    security === undefined ? {} : { security },
    { components: { securitySchemes: SCHEMES }, ...(rootSecurity !== undefined && { security: rootSecurity }) },
    "get",
  );
  const { operations, report } = readOpenApi(document, { baseUrl: BASE_URL, auth });
  const [operation] = operations;
  if (operation === undefined) return report.operations[0]!.notes[0]!;
  const request = operation.operation.resolve({});
  await operation.operation.auth?.apply(request, { principal: undefined, signal: new AbortController().signal });
  const { accept: _, "user-agent": __, ...headers } = request.headers;
  return { ...headers, ...(request.path.includes("?") && { path: request.path }) };
}

describe("credentials for the security schemes of a document", () => {
  it("sends plain text in the way that the scheme describes", async () => {
    expect(await send([{ token: [] }], { token: "t" })).toEqual({ authorization: "Bearer t" });
    expect(await send([{ oauth: ["read"] }], { oauth: "t" })).toEqual({ authorization: "Bearer t" });
    expect(await send([{ key: [] }], { key: "k" })).toEqual({ "x-key": "k" });
    expect(await send([{ inQuery: [] }], { inQuery: "k" })).toEqual({ path: "/v1/things?api_key=k" });
    expect(await send([{ login: [] }], { login: basic({ username: "u", password: "" }) })).toEqual({
      authorization: `Basic ${btoa("u:")}`,
    });
  });

  it("takes the first alternative that is configured, and all schemes of it together", async () => {
    const alternatives = [{ tls: [] }, { token: [], key: [] }, { inQuery: [] }];
    expect(await send(alternatives, { token: "t", key: "k", inQuery: "q" })).toEqual({
      authorization: "Bearer t",
      "x-key": "k",
    });
    expect(await send(alternatives, { token: "t", inQuery: "q" })).toEqual({ path: "/v1/things?api_key=q" });
  });

  it("lets the security of an operation replace that of the document", async () => {
    const root = [{ token: [] }];
    const auth = { token: "t", key: "k" };
    expect(await send(undefined, auth, root)).toEqual({ authorization: "Bearer t" });
    expect(await send([{ key: [] }], auth, root)).toEqual({ "x-key": "k" });
    expect(await send([], auth, root)).toEqual({});
    expect(await send([{}], auth, root)).toEqual({});
    expect(await send([{}, { key: [] }], auth, root)).toEqual({ "x-key": "k" });
  });

  it("never calls an operation without a credential that it needs", async () => {
    expect(await send([{ token: [] }], undefined)).toBe(
      'It needs a credential: "token" (bearer). Pass `auth: { "token": … }`.',
    );
    expect(await send([{ token: [], key: [] }, { digest: [] }], { token: "t" })).toBe(
      'It needs a credential: "token" (bearer) and "key" (apiKey in header X-Key), or "digest" (http digest). Pass `auth: { "key": … }`.',
    );
    expect(await send([{ gone: [] }], { token: "t" })).toMatch(/"gone" \(not declared\)/);
    expect(await send([{}], undefined)).toEqual({});
  });

  it("takes a credential of one's own for schemes that are not supported", async () => {
    expect(await send([{ oidc: [] }], { oidc: bearer("t") })).toEqual({ authorization: "Bearer t" });
    await expect(send([{ digest: [] }], { digest: "text" })).rejects.toThrow(
      /"digest" \(http digest\) takes no plain text/,
    );
    await expect(send([{ login: [] }], { login: "text" })).rejects.toThrow(/pass basic\(\{ username, password \}\)/);
  });

  it("sends a single credential with everything but operations that say that they need none", async () => {
    const auth = apiKey({ name: "X-All", value: "k" });
    expect(await send(undefined, auth)).toEqual({ "x-all": "k" });
    expect(await send([{ tls: [] }], auth)).toEqual({ "x-all": "k" });
    expect(await send([], auth)).toEqual({});
  });

  it("takes a scheme called apply for a scheme", () => {
    const document = documentOf(
      { security: [{ apply: [] }] },
      { components: { securitySchemes: { apply: { type: "http", scheme: "bearer" } } } },
    );
    const { report } = readOpenApi(document, { baseUrl: BASE_URL, auth: { apply: () => "token" } });
    expect(report.operations[0]).toMatchObject({ outcome: "tool", schemes: ["apply"] });
  });

  it("refuses a credential for a scheme that the document does not have", async () => {
    await expect(send([], { tokn: "t" })).rejects.toThrow(
      /security scheme "tokn", which is not in the document. Did you mean "token"\?/,
    );
    await expect(send([], { something: "t" })).rejects.toThrow(/It has token, key, inQuery/);
  });

  it("reports which schemes are used, missing or not supported", () => {
    const document = {
      openapi: "3.0.0",
      components: { securitySchemes: SCHEMES },
      paths: {
        "/a": { get: { security: [{ token: [] }] } },
        "/b": { get: { security: [{ key: [] }] } },
        "/c": { get: { security: [{ tls: [] }] } },
      },
    };
    const { report } = readOpenApi(document, { baseUrl: BASE_URL, auth: { token: "secret-value" } });
    expect(Object.fromEntries(report.schemes.map(({ name, state }) => [name, state]))).toEqual({
      token: "used",
      key: "not configured",
      inQuery: "unused",
      login: "unused",
      oauth: "unused",
      digest: "unused",
      tls: "unsupported",
      oidc: "unused",
    });
    expect(report.operations[0]).toMatchObject({ outcome: "tool", schemes: ["token"] });
    expect(report.warnings).toEqual([
      'The security scheme "key" (apiKey in header X-Key) is not configured.',
      'The security scheme "tls" (mutualTLS) is unsupported.',
    ]);
    expect(JSON.stringify(report)).not.toContain("secret-value");
  });

  it("lists what a document declares, with the place of keys", () => {
    const { schemes } = listOpenApi(documentOf({}, { components: { securitySchemes: SCHEMES } }));
    expect(schemes).toContainEqual({
      name: "key",
      kind: "apiKey in header X-Key",
      isSupported: true,
      key: { in: "header", name: "X-Key" },
    });
    expect(schemes).toContainEqual({ name: "tls", kind: "mutualTLS", isSupported: false });
  });

  it("knows the schemes of Swagger 2", () => {
    const securityDefinitions = {
      b: { type: "basic" },
      k: { type: "apiKey", in: "query", name: "q" },
      o: { type: "oauth2" },
    };
    expect(listOpenApi({ swagger: "2.0", paths: {}, securityDefinitions }).schemes.map(({ kind }) => kind)).toEqual([
      "basic",
      "apiKey in query q",
      "oauth2",
    ]);
  });
});
