import fc from "fast-check";
import { expect, test } from "vitest";
import { readConfig } from "../../../src/config/load-config.ts";
import { isFatal } from "../../../src/config/problem.ts";
import { messagesOf } from "../problems-of.ts";

const TOOL = { description: "d", request: { method: "GET", url: "https://x.example/" } };
const OAUTH = { oauth: { issuer: "https://i.example" } };
const LISTEN = { publicUrl: "https://mcp.example.com" };

test.each<[string, object, number]>([
  ["a public URL of the wrong type", { listen: { publicUrl: 1 }, servers: { s: { auth: OAUTH } } }, 1],
  ["a misspelt public URL", { listen: { publcUrl: "https://a.example" }, servers: { s: { auth: OAUTH } } }, 1],
  ["a `listen` of the wrong type", { listen: [], servers: { s: { auth: OAUTH } } }, 1],
  ["a `network` of the wrong type", { network: [], servers: { s: { tools: { t: toolAt("http://10.0.0.1/") } } } }, 1],
  [
    "a server's `network` of the wrong type",
    { servers: { s: { network: 1, tools: { t: toolAt("http://[::1]/") } } } },
    1,
  ],
  [
    "an `auth` of the wrong type",
    {
      listen: LISTEN,
      servers: {
        s: {
          auth: 7,
          tools: { t: { ...TOOL, scopes: ["a"] } },
          overrides: { t: { scopes: ["a"] } },
          access: [{ scopes: ["a"], tools: ["t"], allow: true }],
        },
      },
    },
    1,
  ],
  ["a tool whose credential has the wrong type", { servers: { s: { tools: { t: { ...TOOL, credential: 7 } } } } }, 1],
  [
    "a credential of the wrong type",
    { servers: { s: { credentials: { k: { bearer: 1 } }, tools: { t: { ...TOOL, credential: "k" } } } } },
    1,
  ],
])("%s is one mistake, and nothing that follows from it is another", (_, config, count) => {
  const errors = messagesOf({ version: 1, ...config }).filter((line) => line.startsWith("error"));
  expect(errors).toHaveLength(count);
});

test("a mistake in one part of a server hides none in the others", () => {
  const wrongUrl = { ...TOOL, request: { method: "GET", url: "ftp://x" } };
  const places = messagesOf({
    version: 1,
    listen: { port: "high", publicUrl: "nowhere" },
    admin: { port: "high", token: "${env:ABSENT}" },
    analytics: { store: "none", retention: { calls: "soon" } },
    servers: {
      Bad: { tools: { t: wrongUrl } },
      s: {
        status: "on",
        unknown: true,
        limits: { timeout: "soon" },
        tools: { shape: { description: 1 }, meaning: wrongUrl },
        upstreams: { shape: { comand: "x" }, meaning: { url: "nowhere" } },
        credentials: { shape: {}, meaning: { bearer: "${env:ABSENT}" } },
        overrides: { shape: { statsu: 1 }, meaning: { limits: { timeout: "soon" } } },
      },
    },
  }).map((line) => /^\w+: ([^:]+):/.exec(line)?.[1] ?? line);
  expect(new Set(places)).toEqual(
    new Set([
      "listen.port",
      "listen.publicUrl",
      "admin",
      "analytics.store",
      "analytics.retention.calls",
      "servers.Bad",
      "servers.Bad.tools.t.request.url",
      "servers.s.status",
      "servers.s.unknown",
      "servers.s.limits.timeout",
      "servers.s.tools.shape.description",
      "servers.s.tools.shape.request",
      "servers.s.tools.meaning.request.url",
      "servers.s.upstreams.shape.comand",
      "servers.s.upstreams.meaning.url",
      "servers.s.credentials.shape",
      "servers.s.credentials.meaning.bearer",
      "servers.s.overrides.shape.statsu",
      "servers.s.overrides.meaning.limits.timeout",
    ]),
  );
});

test("however many mistakes there are, all of them are found", () => {
  const names = Array.from({ length: 60 }, (_, index) => `t${index}`);
  const tools = Object.fromEntries(names.map((name) => [name, { description: 1, request: TOOL.request }]));
  const messages = messagesOf({ version: 1, servers: { s: { tools, limits: { timeout: "soon" } } } });
  expect(messages).toHaveLength(61);
  for (const name of names) expect(messages.join("\n")).toContain(`servers.s.tools.${name}.description: `);
});

test.each<[string, unknown, boolean]>([
  ["tols", { t: TOOL }, true],
  ["tools", [], true],
  ["openapi", {}, true],
  ["upstreams", 1, true],
  ["statsu", "active", false],
  ["limits", { timeout: "soon" }, false],
  ["access", {}, false],
])("a server may have further tools if its member `%s` has a mistake: %j is %s", (member, value, isPartial) => {
  const config = { version: 1, servers: { s: { [member]: value } } };
  const { problems, sound } = readConfig(JSON.stringify(config), { env: {}, folder: "." });
  expect(problems).not.toEqual([]);
  expect(sound?.partial).toEqual(new Set(isPartial ? ["s"] : []));
});

test("a name that is used twice hides nothing else, wherever it is", () => {
  const text = `version: 1
servers:
  s:
    tools: {}
    limits: { timeout: soon }
    tools: { t: { description: d, description: e, request: { method: GET, url: nowhere } } }
`;
  const { problems, config } = readConfig(text, { env: {}, folder: "." });
  expect(config).toBeUndefined();
  expect(problems.map(({ line, column, message }) => [line, column, message.slice(0, 18)])).toEqual([
    [5, 24, "This is not a dura"],
    [6, 5, "This name is used "],
    [6, 35, "This name is used "],
    [6, 80, "This is not a URL "],
  ]);
});

test("whatever is wrong with a configuration, its other parts can be checked", () => {
  const paths = ["listen", "admin", "network", "analytics", "servers", "s", "tools", "auth", "openapi", "upstreams"];
  const key = fc.oneof(fc.constantFrom(...paths), fc.string({ maxLength: 5 }));
  const value = fc.letrec((tie) => ({
    node: fc.oneof({ maxDepth: 5 }, fc.jsonValue({ maxDepth: 1 }), fc.dictionary(key, tie("node"), { maxKeys: 5 })),
  })).node;
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...paths), value), (config) => {
      const { problems, sound } = readConfig(JSON.stringify({ version: 1, ...config }), { env: {}, folder: "." });
      expect(problems.every(({ message }) => message !== "")).toBe(true);
      // What is left has no mistake.
      if (sound !== undefined) {
        const rest = readConfig(JSON.stringify(sound.config), { env: {}, folder: "." });
        // What has a wrong name is kept, so that the rest of it is checked, too.
        const isAboutName = ({ message }: { message: string }): boolean => /^(?:A slug|This name) has /.test(message);
        const errors = rest.problems.filter((problem) => isFatal(problem) && !isAboutName(problem));
        expect(errors).toEqual([]);
      }
    }),
    { numRuns: 100 },
  );
});

function toolAt(url: string): object {
  return { ...TOOL, request: { method: "GET", url } };
}
