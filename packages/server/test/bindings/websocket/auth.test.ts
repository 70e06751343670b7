import { UsageError } from "@toolwire/protocol";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { serveWebSocket, type WebSocketListener, type WebSocketPort } from "../../../src/bindings/websocket/index.ts";
import { createServer, type ServerDiagnostic, tool } from "../../../src/index.ts";
import { as, fakeAuth, METADATA_PATH, METADATA_TEXT } from "../../fake-auth.ts";
import { textOf } from "../../raw-peer.ts";
import { FrameClient, refusal } from "./frame-client.ts";

function define() {
  const diagnostics: ServerDiagnostic[] = [];
  const server = createServer({
    name: "guarded",
    version: "1.0.0",
    onDiagnostic: (event) => diagnostics.push(event),
    tools: {
      whoami: tool({
        run: (_, { principal, header }) =>
          [principal?.id, ...["authorization", "dpop", "x-color"].map((name) => header(name) ?? "-")].join(" "),
      }),
      write: tool({ scopes: ["files:write"], run: () => "written" }),
    },
  });
  return { server, diagnostics };
}

async function serve(options: Partial<WebSocketPort>, { server } = define()): Promise<WebSocketListener> {
  const listener = await serveWebSocket(server, { port: 0, ...options });
  onTestFinished(() => listener.close());
  return listener;
}

const httpUrl = ({ url }: WebSocketListener, path: string): URL => new URL(path, url.replace("ws:", "http:"));

describe("`auth` over WebSocket", () => {
  test("lets callers in, sends its fields with the 101, and hides the token from handlers", async () => {
    const { url } = await serve({ auth: fakeAuth({ ada: {} }) });
    const socket = new WebSocket(url, ["mcp"], { headers: { ...as("ada"), dpop: "proof", "x-color": "red" } });
    const [response] = (await once(socket, "upgrade")) as [IncomingMessage];
    expect(response.headers["x-admitted"]).toBe("ada");
    socket.terminate();
    const client = await FrameClient.open(url, { headers: { ...as("ada"), dpop: "proof", "x-color": "red" } });
    client.call(1, "whoami");
    expect(textOf(await client.response(1))).toBe("ada - - red");
  });

  test("sends its refusal with the challenge", async () => {
    const { url } = await serve({ auth: fakeAuth({}) });
    const { status, headers, text } = await refusal(url);
    expect([status, text]).toEqual([401, "A token is needed."]);
    expect(headers["www-authenticate"]).toContain("resource_metadata=");
  });

  test("adds the fields of an admission to a refusal that follows it", async () => {
    const { url } = await serve({ auth: fakeAuth({ ada: {} }), maxConnectionsPerClient: 1 });
    await FrameClient.open(url, { headers: as("ada") });
    const { status, headers } = await refusal(url, { headers: as("ada") });
    expect([status, headers["x-admitted"], headers["retry-after"]]).toEqual([429, "ada", "5"]);
  });

  test("that throws refuses the connection with a 500 and tells the operator", async () => {
    const rig = define();
    const auth = fakeAuth({}, () => Promise.reject(new Error("database db-7 is down")));
    const { url } = await serve({ auth }, rig);
    const { status, text } = await refusal(url);
    expect(status).toBe(500);
    expect(text).not.toContain("db-7");
    expect(rig.diagnostics).toMatchObject([{ level: "error" }]);
  });

  test("a caller without scopes gets a JSON-RPC error, and the connection goes on", async () => {
    const { url } = await serve({ auth: fakeAuth({ ada: {} }) });
    const client = await FrameClient.open(url, { headers: as("ada") });
    client.call(1, "write");
    expect(await client.response(1)).toMatchObject({
      error: { code: 403, data: { error: "insufficient_scope", scopes: ["files:write"] } },
    });
    client.call(2, "whoami");
    expect(textOf(await client.response(2))).toContain("ada");
  });

  test("where nobody is authenticated, scopes cannot be had", async () => {
    const { url } = await serve({});
    const client = await FrameClient.open(url);
    client.call(1, "write");
    expect(JSON.stringify(await client.response(1))).toMatch(/nobody is authenticated here.*`auth`/);
  });

  test("and `authenticate` together, or something else in its place, are mistakes", async () => {
    const both = { port: 0, auth: fakeAuth({}), authenticate: () => ({ id: "ada" }) };
    await expect(serveWebSocket(define().server, both)).rejects.toThrow(UsageError);
    await expect(serveWebSocket(define().server, { port: 0, auth: {} as never })).rejects.toThrow(/protect\(\{ … \}\)/);
  });
});

describe("metadata on the port of a WebSocket", () => {
  test("is public, and everything else gets a 426", async () => {
    const listener = await serve({ auth: fakeAuth({}) });
    const document = await fetch(httpUrl(listener, `${METADATA_PATH}/`));
    expect([document.status, await document.text()]).toEqual([200, METADATA_TEXT]);
    expect(document.headers.get("access-control-allow-origin")).toBe("*");
    expect(document.headers.get("cache-control")).toBe("public, max-age=3600");
    const wrong = await fetch(httpUrl(listener, METADATA_PATH), { method: "DELETE" });
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    expect((await fetch(httpUrl(listener, "/elsewhere"))).status).toBe(426);
  });

  test("is not for hosts that are not served", async () => {
    const listener = await serve({ auth: fakeAuth({}), allowedHosts: ["mcp.example.com"] });
    expect((await fetch(httpUrl(listener, METADATA_PATH))).status).toBe(403);
  });

  test("does not exist without `auth`", async () => {
    const listener = await serve({ authenticate: () => ({ id: "ada" }) });
    expect((await fetch(httpUrl(listener, METADATA_PATH))).status).toBe(426);
  });
});
