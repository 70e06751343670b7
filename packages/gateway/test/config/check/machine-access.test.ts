import { expect, test } from "vitest";
import { allowsMachineAccess, listMachineUses } from "../../../src/config/check/machine-access.ts";
import type { ServerConfig } from "../../../src/config/config.ts";

function placesOf(server: ServerConfig): readonly string[] {
  return listMachineUses(server, ["servers", "a"], { network: { allow: ["10.0.0.0/8"] } }).map(({ path }) =>
    path.slice(2).join("."),
  );
}

test("Only the configuration file can let admins use the machine", () => {
  expect(allowsMachineAccess({ version: 1 })).toBe(false);
  expect(allowsMachineAccess({ version: 1, admin: false })).toBe(false);
  expect(allowsMachineAccess({ version: 1, admin: {} })).toBe(false);
  expect(allowsMachineAccess({ version: 1, admin: { machineAccess: false } })).toBe(false);
  expect(allowsMachineAccess({ version: 1, admin: { machineAccess: true } })).toBe(true);
});

test.each<[string, ServerConfig, string]>([
  ["a program", { upstreams: { x: { command: "sh" } } }, "upstreams.x.command"],
  ["a document in a file", { openapi: { document: "./api.yaml" } }, "openapi.document"],
  ["a wider rule of addresses", { network: { allow: ["10.0.0.0/8", "localhost"] } }, "network.allow.1"],
  [
    "a header of an upstream",
    { upstreams: { x: { url: "https://x", headers: { title: "a ${env:A}" } } } },
    "upstreams.x.headers.title",
  ],
  ["the URL of an upstream", { upstreams: { title: { url: "https://${env:A}" } } }, "upstreams.title.url"],
  [
    "a login at an upstream",
    { upstreams: { x: { url: "https://x", auth: { bearer: "${file:/etc/passwd}" } } } },
    "upstreams.x.auth.bearer",
  ],
  ["a credential", { credentials: { input: { bearer: "${env:A}" } } }, "credentials.input.bearer"],
  [
    "the URL of a tool",
    { tools: { input: { description: "x", request: { method: "GET", url: "https://x/${env:A}" } } } },
    "tools.input.request.url",
  ],
  [
    "a header of a tool",
    {
      tools: { t: { description: "x", request: { method: "GET", url: "https://x", headers: { input: "${file:a}" } } } },
    },
    "tools.t.request.headers.input",
  ],
  ["the base URL of a document", { openapi: { document: {}, baseUrl: "${env:A}" } }, "openapi.baseUrl"],
  ["the URL of a document", { openapi: { document: "https://x/${env:A}" } }, "openapi.document"],
  [
    "the authorization server",
    {
      auth: {
        oauth: {
          issuer: "https://x",
          introspection: { endpoint: "https://x", client: { id: "a", secret: "${env:A}" } },
        },
      },
    },
    "auth.oauth.introspection.client.secret",
  ],
  ["an argument in a list", { forwardHeaders: ["${env:A}"] }, "forwardHeaders.0"],
])("%s is found at its place", (_, server, place) => {
  expect(placesOf(server)).toEqual([place]);
});

test("Sealed secrets, URLs, documents, and words that nobody fills in are no use of the machine", () => {
  const text = "Write ${env:HOME} or ${file:x}.";
  const server: ServerConfig = {
    title: text,
    description: text,
    instructions: text,
    tools: {
      t: {
        title: text,
        description: text,
        request: { method: "GET", url: "https://x/$${env:A}" },
        input: { type: "object", properties: { a: { type: "string", description: text } } },
      },
    },
    openapi: { document: { info: { description: text } } },
    overrides: { t: { description: text } },
    access: [{ tools: [text], allow: true }],
    upstreams: { x: { url: "https://x", headers: { a: "${secret:a}" } } },
    credentials: { c: { bearer: "${secret:a}" } },
  };
  expect(placesOf(server)).toEqual([]);
  expect(placesOf({ openapi: { document: "https://x/openapi.json" } })).toEqual([]);
  // A narrower rule, and none at all.
  expect(placesOf({ network: { allow: [] } })).toEqual([]);
  expect(placesOf({ network: { allow: ["10.0.0.0/8"] } })).toEqual([]);
  const [alone] = listMachineUses({ network: { allow: ["localhost"] } }, ["servers", "a"], {});
  expect(alone?.path).toEqual(["servers", "a", "network", "allow", 0]);
});

test("A text with both has both, and each says what the operator can do", () => {
  const problems = listMachineUses({ credentials: { c: { bearer: "${env:A}${file:b}" } } }, ["servers", "a"], {});
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^A server that is made here reads no environment variable\. .*machineAccess: true/),
    expect.stringMatching(/^A server that is made here reads no file of the machine\. .*machineAccess: true/),
  ]);
  expect(problems.every(({ severity }) => severity === "error")).toBe(true);
});
