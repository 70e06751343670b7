import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createGateway } from "../../src/create-gateway.ts";
import { openMemoryStorage } from "../../src/storage/memory-storage.ts";
import type { CallRecord } from "../../src/log/call-record.ts";
import { type GatewayProcess, startGateway } from "../gateway-process.ts";
import { type SimulatedApi, simulateApi } from "../simulated-api.ts";

/** One value for each kind of credential, and each way to give it. None of them may be seen anywhere. */
const CANARIES = {
  BEARER: "canary-bearer-4f1d9a7c",
  KEY_HEADER: "canary-header-key-0b6e",
  KEY_QUERY: "canary-query key/&=77d1",
  KEY_COOKIE: "canary-cookie-key-91ce",
  BASIC: "canary-basic:pässword-5a",
  HEADERS: "canary-several-headers-8",
  CLIENT_SECRET: "canary-client-secret-3e2f",
  ADMIN: "canary-admin-token-99aa77",
  UPSTREAM: "canary-upstream-header-12",
};
const LITERAL = "canary-literal-in-the-file";
const FILE = "canary-value-of-a-file-66";
const TOKEN = "canary-access-token-of-oauth";
const ALL = [...Object.values(CANARIES), LITERAL, FILE, TOKEN];

/** All forms in which a value could be seen. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  return [
    value,
    encodeURIComponent(value),
    new URLSearchParams({ v: value }).toString().slice(2),
    bytes.toString("base64").replaceAll("=", ""),
    bytes.toString("base64url"),
    bytes.toString("hex"),
    JSON.stringify(value).slice(1, -1),
  ];
}

/** The canaries that a text shows. */
function findCanaries(text: string): string[] {
  return ALL.filter((canary) => formsOf(canary).some((form) => text.includes(form)));
}

let api: SimulatedApi;
let config: string;

/** An API that repeats everything it was sent: in successes, in errors, in headers, and in broken responses. */
beforeAll(async () => {
  api = await simulateApi(({ target, headers, body }) => {
    if (target === "/token") return { body: JSON.stringify({ access_token: TOKEN, token_type: "Bearer" }) };
    const seen = JSON.stringify({ message: `You sent ${target} ${JSON.stringify(headers)} ${body}` });
    const path = target.split("?")[0];
    if (path === "/error") return { status: 400, body: seen, headers: { "x-echo": encodeURIComponent(seen) } };
    if (path === "/text") {
      return {
        status: 500,
        body: `plain ${target} ${String(headers["authorization"])}`,
        headers: { "content-type": "text/plain" },
      };
    }
    if (path === "/cut") {
      return (_, response) => {
        response.writeHead(200, { "content-length": "1000" });
        response.write(seen.slice(0, 900), () => response.destroy());
      };
    }
    return { body: seen };
  });
  const kinds = {
    bearer: '{ bearer: "${env:BEARER}" }',
    header: '{ apiKey: "${env:KEY_HEADER}", in: header, name: X-Key }',
    query: '{ apiKey: "${env:KEY_QUERY}", in: query, name: key }',
    cookie: '{ apiKey: "${env:KEY_COOKIE}", in: cookie, name: key }',
    basic: '{ basic: { username: robot, password: "${env:BASIC}" } }',
    several: '{ headers: { X-One: "${env:HEADERS}", X-Two: "Token ${env:HEADERS}" } }',
    oauth: `{ clientCredentials: { tokenUrl: "${api.url}/token", clientId: gateway, clientSecret: "\${env:CLIENT_SECRET}" } }`,
    literal: `{ bearer: ${LITERAL} }`,
    file: '{ bearer: "${file:key}" }',
  };
  const servers = Object.entries(kinds).map(
    ([name, credential]) => `  ${name}:
    capture: true
    credentials: { main: ${credential} }
    tools:
      echo: { description: d, request: { method: POST, url: "${api.url}/echo" } }
      error: { description: d, request: { method: POST, url: "${api.url}/error" } }
      text: { description: d, request: { method: POST, url: "${api.url}/text" } }
      cut: { description: d, request: { method: POST, url: "${api.url}/cut" } }
      gone: { description: d, request: { method: GET, url: "http://127.0.0.1:9/x" }, limits: { retries: 0 } }
      refused: { description: d, request: { method: GET, url: "http://169.254.169.254/latest" } }
`,
  );
  config = `version: 1
analytics: { store: memory }
admin: { token: "\${env:ADMIN}" }
network: { allow: [127.0.0.1] }
servers:
${servers.join("")}
  relay:
    upstreams: { other: { url: "${api.url}/echo", headers: { authorization: "Bearer \${env:UPSTREAM}" } } }
`;
});

afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test("secrets-appear-nowhere: not in answers, on stderr, in metrics, nor in what the admin API shows", async () => {
  // The file of the credential has to be there before the gateway starts.
  const withoutFile = config.replace('{ bearer: "${file:key}" }', '{ bearer: "${env:BEARER}" }');
  await using gateway: GatewayProcess = await startGateway(withoutFile, CANARIES);
  await writeFile(join(gateway.folder, "key"), `${FILE}\n`);
  await writeFile(gateway.file, config);
  await gateway.waitFor(/The configuration was reloaded/);
  let seen = "";
  const servers = ["bearer", "header", "query", "cookie", "basic", "several", "oauth", "literal", "file"];
  for (const server of servers) {
    for (const name of ["echo", "error", "text", "cut", "gone", "refused", "absent"]) {
      const response = await fetch(`${gateway.url}/mcp/${server}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name } }),
      });
      seen += JSON.stringify([...response.headers]) + (await response.text());
    }
  }
  await fetch(`${gateway.url}/mcp/relay`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  }).then(async (response) => (seen += await response.text()));
  expect(seen).toContain("[secret]");
  // A bad file is reported, and so is what was wrong with it.
  await writeFile(
    gateway.file,
    `${config}  bad: { credentials: { k: { bearer: [${LITERAL}] } }, tools: ${LITERAL} }\n`,
  );
  await gateway.waitFor(/goes on as it was/);
  const login = { authorization: `Bearer ${CANARIES.ADMIN}` };
  for (const path of [
    "config",
    "servers",
    "servers/bearer",
    "servers/literal",
    "servers/relay",
    "health",
    "metrics",
    "secrets",
    "keys",
    "calls",
    "audit",
  ]) {
    const response = await fetch(`${gateway.adminUrl}/api/v1/${path}`, { headers: login });
    seen += JSON.stringify([...response.headers]) + (await response.text());
  }
  expect(await gateway.end()).toBe(0);
  expect(findCanaries(gateway.output())).toEqual([]);
  expect(findCanaries(seen)).toEqual([]);
  // The canaries did reach the API, so that they could have been seen.
  const sent = JSON.stringify(api.requests);
  expect(
    ALL.filter(
      (canary) =>
        !formsOf(canary).some((form) => sent.includes(form)) &&
        canary !== CANARIES.ADMIN &&
        canary !== CANARIES.BASIC &&
        canary !== CANARIES.CLIENT_SECRET,
    ),
  ).toEqual([]);
}, 60_000);

test("secrets-appear-nowhere: not in records, captured bodies, events or errors of the gateway", async () => {
  const storage = openMemoryStorage();
  const records: CallRecord[] = [];
  storage.calls.follow((record) => records.push(record));
  const events: unknown[] = [];
  const { readConfig } = await import("../../src/config/load-config.ts");
  const text = config.replace('{ bearer: "${file:key}" }', '{ bearer: "${env:BEARER}" }');
  const loaded = readConfig(text, { env: CANARIES, folder: "." });
  expect(findCanaries(JSON.stringify(loaded.problems))).toEqual([]);
  const gateway = await createGateway(
    { ...(loaded.config as never as object), admin: false, version: 1 },
    { port: 0, storage, env: CANARIES, onEvent: (event) => events.push({ ...event, error: String(event.error) }) },
  );
  try {
    let results = "";
    for (const server of gateway.servers()) {
      for (const { listing } of server.tools) {
        await server.call(listing.name, {}).then(
          ({ result }) => (results += JSON.stringify(result)),
          (error: unknown) => (results += String(error)),
        );
      }
      results += JSON.stringify([server.problems, server.credentials, server.tools]);
    }
    await expect(
      gateway.reload({ version: 1, servers: { x: { credentials: { k: { bearer: "${env:ABSENT}" } }, tools: {} } } }),
    ).rejects.toThrow("${env:ABSENT}");
    const stored = await storage.calls.calls({ from: 0, to: Date.now() + 1000 }, { limit: 1000 });
    expect(records.length).toBeGreaterThan(40);
    expect(records.some(({ capture }) => capture?.response.includes("[secret]"))).toBe(true);
    expect(findCanaries(JSON.stringify([records, stored]))).toEqual([]);
    expect(findCanaries(JSON.stringify(events))).toEqual([]);
    expect(findCanaries(results)).toEqual([]);
    expect(findCanaries(gateway.metrics())).toEqual([]);
  } finally {
    await gateway.close();
  }
});
