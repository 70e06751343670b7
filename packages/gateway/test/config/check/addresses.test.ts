import { expect, test } from "vitest";
import type { GatewayConfig, ServerConfig } from "../../../src/config/config.ts";
import { expectConfig, readConfig } from "../../../src/config/load-config.ts";
import { messagesOf, problemsOf } from "../problems-of.ts";

/** A configuration whose server calls one URL. */
function calling(url: string, more: Partial<GatewayConfig> = {}, server: Partial<ServerConfig> = {}): object {
  const tool = { description: "d", request: { method: "GET", url } };
  return { version: 1, ...more, servers: { s: { tools: { t: tool }, ...server } } };
}

test.each([
  ["http://127.0.0.1:8080/a", "127.0.0.1", "localhost"],
  ["http://localhost/", "localhost", "localhost"],
  ["http://[::1]/", "::1", "localhost"],
  ["http://10.1.2.3/", "10.1.2.3", "10.1.2.3"],
  ["https://192.168.0.9/{a}", "192.168.0.9", "192.168.0.9"],
  ["http://169.254.169.254/latest", "169.254.169.254", "169.254.169.254"],
  ["http://[fd00::1]/", "fd00::1", '"fd00::1"'],
  ["http://0x7f000001/", "127.0.0.1", "localhost"],
])("an address that is not public is found before the first call: %s", (url, address, entry) => {
  const input = { input: { type: "object", properties: { a: {} } } };
  const config = calling(url) as { servers: { s: { tools: { t: object } } } };
  Object.assign(config.servers.s.tools.t, input);
  expect(messagesOf(config)).toEqual([
    `error: servers.s.tools.t.request.url: The gateway calls public addresses only, and ${address} is not one. ` +
      `To allow it, write \`network: { allow: [${entry}] }\` at the top of the file.`,
  ]);
  // The line is the right one.
  const allow = [JSON.parse(entry.startsWith('"') ? entry : JSON.stringify(entry)) as string];
  expect(messagesOf({ ...config, network: { allow } })).toEqual([]);
});

test.each(["https://api.example.com/", "http://8.8.8.8/", "https://printer.local/", "https://[2606:4700::1]/"])(
  "an address that is public, or that only a lookup tells, is no problem: %s",
  (url) => {
    expect(messagesOf(calling(url))).toEqual([]);
  },
);

test("the line that allows an address keeps what is allowed already, and names the place that counts", () => {
  const network = { allow: ["10.0.0.0/8", "*.internal"] };
  expect(messagesOf(calling("http://127.0.0.1/", { network }))).toEqual([
    expect.stringContaining('`network: { allow: [10.0.0.0/8, "*.internal", localhost] }` at the top of the file.'),
  ]);
  expect(messagesOf(calling("http://10.0.0.1/", { network }, { network: { allow: [] } }))).toEqual([
    expect.stringContaining("`network: { allow: [10.0.0.1] }` in `servers.s`."),
  ]);
  expect(messagesOf(calling("http://10.0.0.1/", {}, { network }))).toEqual([]);
});

test("everything that the gateway calls is looked at", () => {
  const client = { id: "c", issuer: "http://127.0.0.1:1/", secret: "${secret:s}" };
  const config = {
    version: 1,
    listen: { publicUrl: "https://mcp.example.com" },
    admin: { login: { issuer: "http://127.0.0.1:1/", client: { id: "c" }, allow: { subjects: ["a"] } } },
    servers: {
      s: {
        auth: {
          oauth: {
            issuer: "http://127.0.0.1:1/",
            introspection: { endpoint: "http://127.0.0.1:1/", client: { id: "c", secret: "${secret:s}" } },
          },
        },
        openapi: {
          document: "http://127.0.0.1:1/",
          baseUrl: "http://127.0.0.1:1/",
          hosts: ["127.0.0.1:1", "http://localhost:2"],
        },
        upstreams: {
          a: { url: "ws://127.0.0.1:1/", auth: { clientCredentials: client } },
          b: { url: "http://127.0.0.1:1/", auth: { oauth: { shared: true, client } } },
        },
        credentials: {
          c: { clientCredentials: { tokenUrl: "http://127.0.0.1:1/", clientId: "c", clientSecret: "${secret:s}" } },
        },
      },
    },
  };
  const places: readonly (string | undefined)[] = messagesOf(config)
    .filter((line) => line.includes("public addresses only"))
    .map((line) => /error: (?:servers\.s\.)?(\S+):/.exec(line)?.[1]);
  expect(new Set(places)).toEqual(
    new Set([
      "admin.login.issuer",
      "auth.oauth.introspection.endpoint",
      "auth.oauth.issuer",
      "credentials.c.clientCredentials.tokenUrl",
      "openapi.baseUrl",
      "openapi.document",
      "openapi.hosts[0]",
      "openapi.hosts[1]",
      "upstreams.a.auth.clientCredentials.issuer",
      "upstreams.a.url",
      "upstreams.b.auth.oauth.client.issuer",
      "upstreams.b.url",
    ]),
  );
  expect(
    messagesOf({ ...config, network: { allow: ["127.0.0.1"] } }).filter((line) => line.includes("public")),
  ).toEqual([]);
});

test("what people visit, and the database, may be anywhere", () => {
  const credentials = { c: { bearer: "${secret:s}", perUser: true, connectUrl: "http://127.0.0.1:1/" } };
  const config = {
    ...calling("https://x.example/", { listen: { publicUrl: "http://127.0.0.1:8080" } }, { credentials }),
    analytics: { store: "postgres", url: "${env:DB}" },
  };
  const env = { DB: "postgres://127.0.0.1/a", TOOLWIRE_GATEWAY_KEYS: "k1:x" };
  expect(messagesOf(config, env)).toEqual([]);
});

test("an address that is refused concerns its own tool: the configuration is used all the same", () => {
  const config = calling("http://127.0.0.1/");
  const sources = { env: {}, folder: "." };
  const read = readConfig(JSON.stringify(config), sources);
  expect(read.config).toBeDefined();
  expect(read.problems).toEqual([expect.objectContaining({ severity: "error", keepsRunning: true })]);
  expect(expectConfig(config, sources)).toHaveLength(1);
});

test("an entry that allows nothing is an error, and what it was meant to allow is not judged", () => {
  const text = `version: 1
network: { allow: [10.0.0.0/99, 10.1.2.3, "a b"] }
servers:
  s:
    network: { allow: [1.2.3] }
    tools: { t: { description: d, request: { method: GET, url: "http://10.0.0.1/" } } }
`;
  expect(problemsOf(text)).toEqual([
    expect.stringMatching(/^2:20: error: network\.allow\[0\]: `network\.allow` contains "10\.0\.0\.0\/99"/),
    expect.stringMatching(/^2:43: error: network\.allow\[2\]: .*"a b"/),
    expect.stringMatching(/^5:24: error: servers\.s\.network\.allow\[0\]: .*"1\.2\.3"/),
  ]);
});
