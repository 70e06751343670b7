import { type IncomingHttpHeaders } from "node:http";
import { inspect } from "node:util";
import { type ClientDiagnostic, connect, type ConnectOptions } from "@toolwire/client";
import { bearer, clientCredentials, type ClientAuth } from "@toolwire/client/auth";
import { afterEach, describe, expect, test } from "vitest";
import { type Script, type SiteResponse, startSite } from "../auth/lab/scripted-site.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const TOKEN = "canary/token+with=~signs.0123456789";

/** Everything of an error, or of a diagnostic, that a log could show. */
function everything(thing: unknown): string {
  const texts = [inspect(thing, { depth: 20, showHidden: true, getters: true, maxStringLength: Infinity })];
  for (let error = thing; error instanceof Error; error = error.cause) {
    texts.push(error.message, error.stack ?? "", JSON.stringify(error));
  }
  return texts.join("\n");
}

/** The spellings in which nothing of the token may be found. */
const spellings = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1).replaceAll("/", "\\/"),
  Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  Buffer.from(secret).toString("hex"),
  // The beginning would be enough to recognize it.
  secret.slice(0, 12),
];

const writers: Readonly<Record<string, (secret: string) => string>> = {
  "as it is": (secret) => secret,
  percent: encodeURIComponent,
  json: (secret) => JSON.stringify(secret).replaceAll("/", "\\/"),
  html: (secret) => [...secret].map((character) => `&#${character.charCodeAt(0)};`).join(""),
  base64: (secret) => Buffer.from(`Bearer ${secret}`).toString("base64"),
  hexadecimal: (secret) => Buffer.from(secret).toString("hex"),
};

/** Where a server, or a proxy, may repeat what it was sent. */
const PLACES: Readonly<Record<string, (said: string, id: number) => SiteResponse>> = {
  "the body of a 400": (said) => ({ status: 400, text: `${"x".repeat(150)} bad request: ${said}` }),
  "the body of a 401": (said) => ({
    status: 401,
    text: said,
    headers: { "www-authenticate": `Bearer error="${said}"` },
  }),
  "the body of a 403": (said) => ({
    status: 403,
    text: said,
    headers: { "www-authenticate": `Bearer error="${said}"` },
  }),
  "the body of a 404": (said) => ({ status: 404, text: said }),
  "the body of a 413": (said) => ({ status: 413, text: said }),
  "the body of a 500": (said) => ({ status: 500, text: `<pre>authorization: ${said}</pre>` }),
  "a redirect": (said) => ({ status: 302, headers: { location: `https://elsewhere.example/${encodeURI(said)}` } }),
  "a JSON-RPC error": (said, id) => ({
    json: {
      jsonrpc: "2.0",
      id,
      error: { code: -32000, message: `failed: ${said}`, data: { deep: [{ [said]: said, list: [said, 1, null] }] } },
    },
  }),
  "a JSON-RPC error with status 400": (said, id) => ({
    status: 400,
    json: { jsonrpc: "2.0", id, error: { code: -32602, message: said, data: said } },
  }),
  "a JSON-RPC error of no request": (said) => ({
    status: 400,
    json: { jsonrpc: "2.0", id: said, error: { code: -32602, message: said, data: said } },
  }),
  "a success that is no response": (said) => ({
    status: 200,
    text: said,
    headers: { "content-type": `text/plain; x="${encodeURIComponent(said)}"` },
  }),
  "a body that is no JSON": (said) => ({
    status: 200,
    text: `{"jsonrpc": ${said}`,
    headers: { "content-type": "application/json" },
  }),
  "an event that is no JSON": (said) => ({
    status: 200,
    text: `data: {${said.replaceAll("\n", "")}\n\n`,
    headers: { "content-type": "text/event-stream" },
  }),
  "a response to another request": (said) => ({ json: { jsonrpc: "2.0", id: said, result: {} } }),
  "a request": (said) => ({ json: { jsonrpc: "2.0", id: 1, method: said } }),
  "a result without the structure that its tool has promised": (said, id) => ({
    json: {
      jsonrpc: "2.0",
      id,
      result: { resultType: "complete", content: [{ type: "text", text: `${"x".repeat(240)} ${said}` }] },
    },
  }),
};

/** Runs a tool of a server that repeats what it was sent. Returns everything that the program is told. */
async function callEcho(
  place: string,
  write: (secret: string) => string,
  secretOf: (headers: IncomingHttpHeaders) => string,
  options: ConnectOptions,
  revision: "2026-07-28" | "2025-11-25" = "2026-07-28",
  path = "/mcp",
): Promise<{ readonly told: string; readonly error: unknown }> {
  const tools = [{ name: "echo", inputSchema: { type: "object" }, outputSchema: { type: "object" } }];
  const answers: Readonly<Record<string, object>> = {
    "server/discover": {
      supportedVersions: [revision],
      capabilities: { tools: {} },
      serverInfo: { name: "s", version: "1" },
    },
    initialize: { protocolVersion: revision, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
    "tools/list": { tools },
  };
  const script: Script = ({ method, path: asked, text, headers }, site) => {
    if (asked === "/.well-known/oauth-authorization-server") {
      return {
        json: {
          issuer: site.origin,
          token_endpoint: `${site.origin}/token`,
          token_endpoint_auth_methods_supported: ["client_secret_post"],
        },
      };
    }
    if (asked === "/token") {
      return { json: { access_token: TOKEN, token_type: headers["dpop"] === undefined ? "Bearer" : "DPoP" } };
    }
    if (asked !== "/mcp") return { status: 404 };
    if (options.auth !== undefined && headers.authorization === undefined) {
      return { status: 401, headers: { "www-authenticate": "Bearer" } };
    }
    if (method !== "POST") return { status: 405 };
    const { id, method: name } = JSON.parse(text) as { readonly id?: number; readonly method: string };
    if (id === undefined) return { status: 202 };
    const result = answers[name];
    if (result !== undefined) return { json: { jsonrpc: "2.0", id, result: { resultType: "complete", ...result } } };
    return PLACES[place]!(write(secretOf(headers)), id);
  };
  const site = await startSite(script);
  cleanups.push(() => site.close());
  const diagnostics: ClientDiagnostic[] = [];
  const url = `${site.origin}${path}`;
  const client = await connect(url, {
    ...options,
    revision,
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
  });
  cleanups.push(() => client.close());
  const error: unknown = await client.callTool("echo", {}, { validate: "always" }).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  return { told: [everything(error), ...diagnostics.map(everything)].join("\n"), error };
}

const tokenIn = ({ authorization = "" }: IncomingHttpHeaders): string =>
  authorization.slice(authorization.indexOf(" ") + 1);

describe.each(["2026-07-28", "2025-11-25"] as const)(
  "a token that a server repeats is in nothing that a program is told (%s)",
  (revision) => {
    test.each(Object.keys(PLACES).flatMap((place) => Object.keys(writers).map((writer) => [place, writer] as const)))(
      "in %s, %s",
      async (place, writer) => {
        const { told, error } = await callEcho(place, writers[writer]!, tokenIn, { auth: bearer(TOKEN) }, revision);
        expect(error).toBeInstanceOf(Error);
        for (const spelling of spellings(TOKEN)) expect(told).not.toContain(spelling);
        expect(told).not.toContain(writers[writer]!(TOKEN));
      },
    );
  },
);

describe("every kind of credential is cleared", () => {
  const password = "pass word & phrase";
  const basic = Buffer.from(`user:${password}`).toString("base64");
  const kinds: Readonly<Record<string, readonly [headers: Record<string, string>, secret: string]>> = {
    "a token in a header": [{ authorization: `Bearer ${TOKEN}` }, TOKEN],
    "a token without a scheme": [{ authorization: TOKEN }, TOKEN],
    "basic credentials": [{ authorization: `Basic ${basic}` }, basic],
    "the password of basic credentials": [{ authorization: `Basic ${basic}` }, password],
    "the credentials of a proxy": [{ "proxy-authorization": `Basic ${basic}` }, password],
    "a signature": [
      { authorization: `AWS4-HMAC-SHA256 Credential=AKIA0123456789ABCDEF/x, Signature=fe5f80f77d5fa3beca038a248ff027` },
      "fe5f80f77d5fa3beca038a248ff027",
    ],
    "a cookie": [{ cookie: "theme=dark; session=0123456789-canary-cookie; x=y" }, "0123456789-canary-cookie"],
    "an API key": [{ "X-Api-Key": "canary-key-0123456789" }, "canary-key-0123456789"],
    "a key in a header of any name": [{ "X-Anything": "canary-value" }, "canary-value"],
    "a key after a scheme of its own": [{ "X-Auth": "Token canary-value-0123" }, "canary-value-0123"],
  };

  test.each(Object.keys(kinds))("%s", async (kind) => {
    const [headers, secret] = kinds[kind]!;
    for (const place of ["the body of a 500", "a JSON-RPC error"]) {
      const { told } = await callEcho(
        place,
        (text) => text,
        () => secret,
        { http: { headers } },
      );
      expect(told).not.toContain(secret);
    }
  });

  test("the query of the URL", async () => {
    const secret = "canary-in-query";
    const { told } = await callEcho(
      "a JSON-RPC error",
      (text) => text,
      () => secret,
      {},
      "2026-07-28",
      `/mcp?key=${secret}`,
    );
    expect(told).not.toContain(secret);
  });

  test("headers of a function, and those of earlier requests", async () => {
    let count = 0;
    const headers = (): Record<string, string> => ({ "x-key": `canary-key-${++count}` });
    const { told } = await callEcho(
      "a JSON-RPC error",
      (text) => text,
      ({ "x-key": key }) => `${String(key)} canary-key-1`,
      { http: { headers } },
    );
    expect(told).not.toContain("canary");
  });

  test("tokens and proofs of a provider", async () => {
    let issuer = "";
    const auth = (): ClientAuth => clientCredentials({ id: "app", secret: "canary-secret", issuer, dpop: "required" });
    const lazy: ClientAuth = {
      prepare: (request) => ((issuer ||= request.server.url.origin), (real ??= auth()).prepare(request)),
      challenged: (...given) => real!.challenged(...given),
      answered: (...given) => real!.answered?.(...given),
    };
    let real: ClientAuth | undefined;
    let proof = "";
    const { told } = await callEcho(
      "a JSON-RPC error",
      (text) => text,
      ({ dpop, authorization }) => {
        proof = String(dpop);
        return `${proof} ${String(authorization)}`;
      },
      { auth: lazy },
    );
    expect(proof.length).toBeGreaterThan(100);
    expect(told).not.toContain(proof);
    expect(told).not.toContain(TOKEN);
  });
});

test("fields that carry no credentials are quoted", async () => {
  const headers = {
    "accept-language": "nb-NO, nb;q=0.9",
    "user-agent": "program/1.0",
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  };
  const { error } = await callEcho(
    "a JSON-RPC error",
    (text) => text,
    () => Object.values(headers).join(" "),
    { http: { headers } },
  );
  expect((error as Error).message).toBe(`failed: ${Object.values(headers).join(" ")}`);
});

test("the data of an error keep their form", async () => {
  const { error } = await callEcho("a JSON-RPC error", (text) => text, tokenIn, { auth: bearer(TOKEN) });
  expect(error).toMatchObject({
    code: -32000,
    message: "failed: [secret]",
    data: { deep: [{ "[secret]": "[secret]", list: ["[secret]", 1, null] }] },
  });
});

test("what the platform says about a broken response is cleared, with its causes", async () => {
  const { createServer } = await import("node:net");
  const server = createServer((socket) => {
    socket.once("data", (bytes) => {
      const token = /authorization: Bearer (\S+)/i.exec(bytes.toString())?.[1];
      socket.end(`HTTP/1.1 200 OK\r\n${token} is no header\r\n\r\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as { readonly port: number };
  for (const http of [{}, { fetch }]) {
    const failure: unknown = await connect(`http://127.0.0.1:${port}/mcp`, {
      auth: bearer(TOKEN),
      http,
      revision: "2026-07-28",
    }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    for (const spelling of spellings(TOKEN)) expect(everything(failure)).not.toContain(spelling);
  }
});
