import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer as createTlsServer } from "node:https";
import { createServer, type AddressInfo, type Server } from "node:net";
import { MetaKey, TransportError } from "@toolwire/protocol";
import { Caller } from "@toolwire/protocol/internal";
import { describe, expect, it, onTestFinished } from "vitest";
import { createHttpTransport, type HttpTransportOptions } from "../../../src/http.ts";
import { createFetchTransport, createUndiciTransport } from "./backends.ts";
import { findPort } from "@toolwire/engines";

const MODERN = { _meta: { [MetaKey.ProtocolVersion]: "2026-07-28", [MetaKey.ClientCapabilities]: {} } };

/** A certificate that nobody trusts, for `localhost` and 127.0.0.1, and its key. */
const SELF_SIGNED = await readFile(new URL("fixtures/self-signed.pem", import.meta.url), "utf8");

async function listenOn(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    const closed = once(server, "close");
    server.close();
    await closed;
  });
  return (server.address() as AddressInfo).port;
}

/** A server over TLS that answers every request by its id. */
function serveTls(): Promise<number> {
  const server = createTlsServer({ cert: SELF_SIGNED, key: SELF_SIGNED }, (request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "application/json", connection: "close" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { ok: 1 } }));
    });
  });
  return listenOn(server);
}

type Create = (url: string, options?: Omit<HttpTransportOptions, "fetch">) => ReturnType<typeof createHttpTransport>;

function call(create: Create, url: string): Promise<object> {
  const transport = create(url);
  void transport.open({});
  onTestFinished(() => transport.close());
  return new Caller(transport, { timeout: 20_000 }).call("m", MODERN);
}

function failureOf(create: Create, url: string): Promise<Error> {
  return call(create, url).then(
    () => expect.unreachable("The call must fail."),
    (error: unknown) => error as Error,
  );
}

describe.each([
  ["fetch", createFetchTransport],
  ["undici", createUndiciTransport],
] as const)("a request by %s", (_, create) => {
  it("a request to an address without a server names the address and the reason", async () => {
    const port = await findPort();
    const error = await failureOf(create, `http://127.0.0.1:${port}/mcp?token=SECRET`);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ code: "CONNECT_FAILED", cause: expect.any(Error) as Error });
    expect(error.message).toContain(`http://127.0.0.1:${port} cannot be reached: connect ECONNREFUSED`);
    expect(error.message).not.toContain("SECRET");
  });

  it("a request to a server without a trusted certificate says so, and what to do", async () => {
    const error = await failureOf(create, `https://127.0.0.1:${await serveTls()}/mcp`);
    expect(error).toMatchObject({ code: "CONNECT_FAILED", cause: expect.any(Error) as Error });
    expect(error.message).toContain("cannot be reached: self-signed certificate. To trust");
    expect(error.message).toContain("`connect: { ca }`");
  });

  it("a request over TLS to a server without TLS names the error of TLS", async () => {
    const port = await listenOn(
      createServer((socket) => socket.once("data", () => socket.end("HTTP/1.1 400 No\r\n\r\n")).resume()),
    );
    const error = await failureOf(create, `https://127.0.0.1:${port}/mcp`);
    expect(error).toMatchObject({ code: "CONNECT_FAILED" });
    expect(error.message).toContain("cannot be reached: ERR_SSL_");
  });

  it("a request that a server has seen may have taken effect, whatever became of the connection", async () => {
    const port = await listenOn(createServer((socket) => socket.once("data", () => socket.destroy())));
    const error = await failureOf(create, `http://127.0.0.1:${port}/mcp`);
    expect(error).toMatchObject({ code: "CONNECTION_LOST", cause: expect.any(Error) as Error });
    expect(error.message).toContain(`The connection to http://127.0.0.1:${port} failed: other side closed.`);
  });
});

it.each([
  ["fetch", createFetchTransport],
  ["undici", createUndiciTransport],
])("header fields that are not the application's to send are its mistake: %s", async (_, create) => {
  for (const name of ["transfer-encoding", "expect"]) {
    const port = await findPort();
    const withField: Create = (url) => create(url, { headers: { [name]: "secret" } });
    const error = await failureOf(withField, `http://127.0.0.1:${port}/mcp`);
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(error.message).not.toContain("secret");
  }
});

it("the certificate that Node is told to trust is trusted", async () => {
  const url = `https://localhost:${await serveTls()}/mcp`;
  const trusting: Create = (target) => createUndiciTransport(target, { connect: { ca: SELF_SIGNED } });
  await expect(call(trusting, url)).resolves.toEqual({ ok: 1 });
});

describe("errors that `fetch` throws", () => {
  const url = "http://example.com/mcp?token=SECRET";

  function failureBy(thrown: unknown): Promise<Error> {
    const fetch = (): Promise<Response> => Promise.reject(thrown as Error);
    return failureOf((target) => createHttpTransport(target, { fetch }), url);
  }

  it.each([
    ["a host that has no address", "ENOTFOUND", new Error("getaddrinfo ENOTFOUND example.com")],
    ["each address of a host", "ECONNREFUSED", new AggregateError([new Error("one"), new Error("other")])],
  ])("an error of `fetch` names %s", async (_, code, cause) => {
    const error = await failureBy(new TypeError("fetch failed", { cause: Object.assign(cause, { code }) }));
    expect(error).toMatchObject({ code: "CONNECT_FAILED" });
    expect(error.message).toContain(cause instanceof AggregateError ? "reached: one, other." : cause.message);
  });

  it("an error of `fetch` is told without the secrets of the URL", async () => {
    const error = await failureBy(new TypeError(`error sending request for url (${url})`));
    expect(error).toMatchObject({ code: "CONNECTION_LOST" });
    expect(error.message).toContain("failed: error sending request for url (http://example.com/mcp).");
  });

  it("a `fetch` may throw a value that is no error", async () => {
    expect(await failureBy(undefined)).toMatchObject({ code: "CONNECTION_LOST" });
    expect((await failureBy("no")).message).toContain("failed: no.");
  });
});
