import { describe, expect, it } from "vitest";
import type { OpenApiOptions } from "../../src/import/options.ts";
import { listOpenApi, readOpenApi } from "../../src/import/read-open-api.ts";
import { documentOf } from "./documents.ts";

/** The URL that the only operation of a document is called at, or the reason why it is not. */
function urlOf(document: object, options: OpenApiOptions): string {
  const { operations, report } = readOpenApi(document, options);
  const [operation] = operations;
  if (operation === undefined) return report.operations[0]!.notes[0]!;
  const { origin, path } = operation.operation.resolve({});
  return origin + path;
}

const withServers = (...urls: string[]): object =>
  documentOf({}, { servers: urls.map((url) => ({ url })) }, "get", "/x");

describe("the base URL", () => {
  it("is the one that the user has given, with its path", () => {
    const document = withServers("https://evil.example/steal");
    expect(urlOf(document, { baseUrl: "https://api.example.com/v1/" })).toBe("https://api.example.com/v1/x");
    expect(urlOf(document, { baseUrl: "http://localhost:8080" })).toBe("http://localhost:8080/x");
  });

  it("is a server of the document only if its host is allowed", () => {
    const document = withServers("https://other.example/v0", "https://api.example.com/v2");
    expect(urlOf(document, { hosts: ["api.example.com"] })).toBe("https://api.example.com/v2/x");
    expect(urlOf(document, {})).toBe(
      "Its server is https://other.example/v0, and a document does not choose where requests go. " +
        'Pass `baseUrl`, or `hosts: ["other.example"]` to allow it.',
    );
  });

  it("compares hosts with their ports and schemes", () => {
    expect(urlOf(withServers("https://api.example.com:8443/a"), { hosts: ["api.example.com"] })).toMatch(
      /^Its server is/,
    );
    expect(urlOf(withServers("https://api.example.com:8443/a"), { hosts: ["api.example.com:8443"] })).toBe(
      "https://api.example.com:8443/a/x",
    );
    expect(urlOf(withServers("http://api.example.com"), { hosts: ["api.example.com"] })).toMatch(
      /hosts: \["http:\/\/api.example.com"\]/,
    );
    expect(urlOf(withServers("http://api.example.com"), { hosts: ["http://api.example.com"] })).toBe(
      "http://api.example.com/x",
    );
    expect(urlOf(withServers("https://API.example.com"), { hosts: ["api.EXAMPLE.com"] })).toBe(
      "https://api.example.com/x",
    );
  });

  it("is resolved against the URL of the document, if it is relative", () => {
    const options = { hosts: ["docs.example.com"], documentUrl: "https://docs.example.com/specs/openapi.json" };
    expect(urlOf(withServers("../api/v1"), options)).toBe("https://docs.example.com/api/v1/x");
    expect(urlOf(documentOf({}, {}, "get", "/x"), options)).toBe("https://docs.example.com/x");
    expect(urlOf(withServers("/v1"), {})).toBe('Its server is "/v1", which is relative. Pass `baseUrl`.');
  });

  it("has its variables filled in: by the user, or by the document", () => {
    const server = {
      url: "https://{region}.example.com:{port}/{base}",
      variables: { region: { default: "eu", enum: ["eu", "us"] }, port: { default: 443 }, base: {} },
    };
    const document = documentOf({}, { servers: [server] }, "get", "/x");
    const hosts = ["eu.example.com", "us.example.com"];
    expect(urlOf(document, { hosts, variables: { base: "v1" } })).toBe("https://eu.example.com/v1/x");
    expect(urlOf(document, { hosts, variables: { base: "v1", region: "us" } })).toBe("https://us.example.com/v1/x");
    expect(urlOf(document, { hosts, variables: { base: "v1", region: "mars" } })).toBe(
      'The variable "region" of its server must be one of eu, us.',
    );
    expect(urlOf(document, { hosts })).toBe('Its server has the variable "base". Pass `variables: { base: … }`.');
  });

  it("is that of the operation or the path, if they have servers of their own at an allowed host", () => {
    const servers = (url: string): object => ({ servers: [{ url }] });
    const document = {
      openapi: "3.1.0",
      ...servers("https://api.example.com/v1"),
      paths: {
        "/a": { get: { operationId: "own", ...servers("https://upload.example.com/u") } },
        "/b": { ...servers("https://api.example.com/b2"), get: { operationId: "path" } },
        "/c": { get: { operationId: "plain" } },
      },
    };
    const urls = (options: OpenApiOptions): string[] =>
      readOpenApi(document, options).operations.map(
        ({ operation }) => operation.resolve({}).origin + operation.resolve({}).path,
      );
    expect(urls({ baseUrl: "https://api.example.com/v9" })).toEqual([
      "https://api.example.com/b2/b",
      "https://api.example.com/v9/c",
    ]);
    expect(urls({ hosts: ["api.example.com", "upload.example.com"] })).toEqual([
      "https://upload.example.com/u/a",
      "https://api.example.com/b2/b",
      "https://api.example.com/v1/c",
    ]);
    const moved = { baseUrl: "http://localhost:1", tool: () => ({ baseUrl: "http://localhost:1/m" }) };
    expect(urls(moved)).toEqual(["http://localhost:1/m/a", "http://localhost:1/m/b", "http://localhost:1/m/c"]);
    expect(readOpenApi(document, { baseUrl: "https://api.example.com" }).report.hosts).toEqual(["api.example.com"]);
  });

  it("is the one that the user has given for all operations that only repeat the servers of the document", () => {
    const own = { servers: [{ url: "https://cluster.local" }] };
    const paths = { "/a": { get: { operationId: "a", ...own } }, "/b": { ...own, get: { operationId: "b" } } };
    const documents = [
      { openapi: "3.1.0", servers: [{ url: "//cluster.local" }], paths },
      { openapi: "3.1.0", servers: [{ url: "https://cluster.local/" }], paths },
      // Nowhere but at the operations.
      { openapi: "3.1.0", paths },
    ];
    for (const document of documents) {
      const { operations } = readOpenApi(document, { baseUrl: "http://127.0.0.1:6443/k8s" });
      expect(operations.map(({ request }) => request.baseUrl)).toEqual(Array(2).fill("http://127.0.0.1:6443/k8s"));
    }
  });

  it("is at the host that the user has given for operations whose own server is a path", () => {
    const document = (own: string): object => ({
      openapi: "3.1.0",
      servers: [{ url: "/v1" }],
      paths: { "/x": { servers: [{ url: own }], get: { operationId: "x" } } },
    });
    const baseUrl = "https://api.example.com/v1";
    expect(urlOf(document("/v2"), { baseUrl })).toBe("https://api.example.com/v2/x");
    expect(urlOf(document("/v1/"), { baseUrl })).toBe("https://api.example.com/v1/x");
    const documentUrl = "https://docs.example.com/openapi.json";
    expect(urlOf(document("/v2"), { baseUrl, documentUrl })).toBe("https://api.example.com/v2/x");
    expect(urlOf(document("//other.example/v2"), { baseUrl })).toBe(
      "It has a server of its own, https://other.example/v2, which is not at `baseUrl`. " +
        'Pass `hosts: ["other.example"]` to allow it.',
    );
    expect(urlOf(document("https://{tenant}.example"), { baseUrl })).toMatch(/has the variable "tenant"/);
  });

  it.each([
    ["https://user:secret@api.example.com", /contains a user name or a password/],
    ["ftp://api.example.com", /is not at https: or http:/],
    ["https://api.example.com/?a=b", /has a query or a fragment/],
    ["api.example.com", /`baseUrl` must be an absolute URL/],
  ])("cannot be %s", (baseUrl, message) => {
    expect(() => urlOf(withServers("/"), { baseUrl })).toThrow(message);
  });

  it("refuses hosts that are none", () => {
    expect(() => urlOf(withServers("/"), { hosts: ["https://a.example/path"] })).toThrow(
      /`hosts` must be hosts such as/,
    );
  });

  it("keeps the query of a path, and drops the fragment by which some documents tell operations apart", () => {
    const document = documentOf({}, {}, "get", "/x?action=list#first");
    expect(urlOf(document, { baseUrl: "https://api.example.com" })).toBe("https://api.example.com/x?action=list");
  });

  it("is suggested by the servers of the document, before anything is imported", () => {
    const { servers, serverProblems } = listOpenApi(
      withServers("https://a.example/v1", "/relative", "https://{x}.example"),
    );
    expect(servers).toEqual(["https://a.example/v1"]);
    expect(serverProblems).toEqual([
      'Its server is "/relative", which is relative. Pass `baseUrl`.',
      'Its server has the variable "x". Pass `variables: { x: … }`.',
    ]);
    expect(listOpenApi(withServers("//cluster.local"))).toMatchObject({
      servers: [],
      serverProblems: ['Its server is "//cluster.local", which has no scheme. Pass `baseUrl`.'],
    });
    expect(listOpenApi(documentOf({}, {}, "get", "/x")).serverProblems).toEqual(["The document names no server."]);
  });
});
