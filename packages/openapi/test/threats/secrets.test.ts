/** Canary values as credentials: everything that leaves a tool is searched for them. */
import { inspect } from "node:util";
import { connect } from "@toolwire/client";
import { createServer, type ServerDiagnostic, type ToolDefinition } from "@toolwire/server";
import { serveInMemory } from "@toolwire/server/memory";
import { describe, expect, it } from "vitest";
import type { HttpDiagnostic } from "../../src/caller/diagnostics.ts";
import { createHttpCaller } from "../../src/caller/guarded-caller.ts";
import type { Auth } from "../../src/credentials/auth.ts";
import { apiKey, basic, bearer, headers } from "../../src/credentials/kinds.ts";
import { clientCredentials } from "../../src/oauth.ts";
import { httpTool } from "../../src/tool/http-tool.ts";
import { answerJson, startApi, startRawApi, type TestApi } from "../test-api.ts";

const CANARY = "canary/9f8e+7d6c";
const FORMS = [
  CANARY,
  encodeURIComponent(CANARY),
  btoa(CANARY),
  btoa(CANARY).replace(/=+$/, ""),
  btoa(`user:${CANARY}`),
];

/** Calls a tool, and returns everything that anybody can see of the call. */
async function outputsOf(url: string, auth: Auth, method: "GET" | "POST" = "GET", timeout = 20_000): Promise<string> {
  const told: (HttpDiagnostic | ServerDiagnostic)[] = [];
  const http = createHttpCaller({ network: { allow: ["localhost"] }, onDiagnostic: (each) => told.push(each) });
  const definition = httpTool({
    description: "x",
    method,
    url,
    auth,
    http,
    timeout,
    retries: 0,
  }) as ToolDefinition;
  const server = createServer({
    name: "test",
    version: "1",
    tools: { call_api: definition },
    onDiagnostic: (each) => told.push(each),
  });
  await using client = await connect(serveInMemory(server));
  const listed = await client.listTools();
  const result: unknown = await client.callTool("call_api", {} as never).catch((error: unknown) => error);
  await http.close();
  return inspect([listed, result, told], { depth: 20, maxStringLength: null });
}

function credentials(api: TestApi): [kind: string, auth: Auth][] {
  const http = createHttpCaller({ network: { allow: ["localhost"] } });
  return [
    ["bearer", bearer(CANARY)],
    ["header", apiKey({ name: "X-Key", value: CANARY, prefix: "Key " })],
    ["query", apiKey({ in: "query", name: "key", value: CANARY })],
    ["cookie", apiKey({ in: "cookie", name: "key", value: CANARY })],
    ["basic", basic({ username: "user", password: CANARY })],
    ["headers", headers({ "X-One": CANARY, "X-Two": () => CANARY })],
    [
      "client secret",
      clientCredentials({ tokenUrl: `${api.origin}/token`, clientId: "user", clientSecret: CANARY, http }),
    ],
  ];
}

/** The forms of the canary that a text contains. */
function findCanary(outputs: string): string[] {
  return FORMS.filter((form) => outputs.includes(form));
}

describe("secrets-appear-nowhere", () => {
  it("an API that repeats the whole request in its error shows no credential to anybody", async () => {
    await using api = await startApi((response, { url, headers: received, body }) => {
      if (url === "/token") {
        return answerJson(response, { error: "invalid_client", error_description: `${CANARY} ${body}` }, 401);
      }
      const message = `Refused ${url} with ${JSON.stringify(received)} and ${CANARY}`;
      answerJson(response, { message: message.slice(0, 4000) }, 403);
    });
    for (const [kind, auth] of credentials(api)) {
      const outputs = await outputsOf(`${api.origin}/x`, auth);
      expect(outputs, kind).toMatch(
        kind === "client secret" ? "(invalid_client)" : "Error: Upstream API returned 403 - Refused",
      );
      expect(findCanary(outputs)).toEqual([]);
    }
  });

  it("a plain text error is cleared as well, and one that is cut shows no part of a credential", async () => {
    const text = `${"x".repeat(292)}${CANARY}`;
    await using api = await startApi((response) => response.writeHead(400, { "content-type": "text/plain" }).end(text));
    const outputs = await outputsOf(`${api.origin}/x`, bearer(CANARY));
    expect(findCanary(outputs)).toEqual([]);
    expect(outputs).not.toContain(CANARY.slice(0, 4));
  });

  it("failures of the network show no credential", async () => {
    await using gone = await startRawApi((socket) => socket.destroy());
    await using silent = await startRawApi(() => {});
    await using broken = await startRawApi((socket) => socket.once("data", (bytes) => socket.end(bytes)));
    for (const api of [gone, silent, broken]) {
      for (const [, auth] of credentials(gone)) {
        expect(findCanary(await outputsOf(`${api.origin}/x`, auth, "POST", 100))).toEqual([]);
      }
    }
  });

  it("an address that is refused shows no credential", async () => {
    await using api = await startApi();
    for (const [, auth] of credentials(api)) {
      expect(findCanary(await outputsOf("http://10.255.255.1/x", auth))).toEqual([]);
    }
  });

  it("a credential that cannot be sent is not shown", async () => {
    await using api = await startApi();
    for (const auth of [bearer(() => `${CANARY}\n`), headers({ "X-One": () => `${CANARY}€` })]) {
      const outputs = await outputsOf(`${api.origin}/x`, auth);
      expect(outputs).toContain("Your credential for this API cannot be sent");
      expect(findCanary(outputs)).toEqual([]);
    }
    for (const make of [
      () => bearer(`${CANARY}\n`),
      () => apiKey({ name: "x", value: `${CANARY}€` }),
      () => headers({ x: `${CANARY}\0` }),
    ]) {
      expect(make).toThrow("contains a line break");
      expect(make).not.toThrow(CANARY);
    }
  });

  it("a credential in itself shows nothing when it is printed", () => {
    expect(findCanary(inspect([bearer(CANARY), basic({ username: "user", password: CANARY })], { depth: 20 }))).toEqual(
      [],
    );
    expect(findCanary(JSON.stringify([bearer(CANARY), headers({ x: CANARY })]))).toEqual([]);
    const auth = clientCredentials({ tokenUrl: "https://auth.example/token", clientId: "user", clientSecret: CANARY });
    expect(findCanary(inspect(auth, { depth: 20, showHidden: true }))).toEqual([]);
  });
});
