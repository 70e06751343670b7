import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { connect } from "@toolwire/client";
import { MetaKey, UsageError } from "@toolwire/protocol";
import { Caller } from "@toolwire/protocol/internal";
import { describe, expect, it, onTestFinished } from "vitest";
import type { HttpTransportOptions } from "../../../src/http.ts";
import { listen, sendJson } from "./listen.ts";
import { withResolvers } from "../../with-resolvers.ts";
import { createPlatformBackend } from "../../../src/transports/http/fetch-backend.ts";
import { createFetchTransport, createUndiciTransport } from "./backends.ts";

const MODERN = { _meta: { [MetaKey.ProtocolVersion]: "2026-07-28", [MetaKey.ClientCapabilities]: {} } };

function open(url: string, options?: HttpTransportOptions): Caller {
  const transport = createUndiciTransport(url, options);
  void transport.open({});
  onTestFinished(() => transport.close());
  return new Caller(transport, { timeout: 20_000 });
}

it("the undici backend refuses a number of connections that would be no limit", () => {
  for (const connections of [Number.NaN, -1]) {
    expect(() => createUndiciTransport("http://127.0.0.1/", { connections })).toThrow(UsageError);
  }
});

it("options of the connection pool are refused with a `fetch`, and on platforms without a pool", () => {
  const url = "http://127.0.0.1/";
  for (const options of [{ connections: 1 }, { connect: { ca: "" } }]) {
    const [name] = Object.keys(options);
    expect(() => createFetchTransport(url, options)).toThrow(`The option \`${name}\` is for Node's connection pool`);
    expect(() => createPlatformBackend(options)).toThrow(UsageError);
  }
});

it("the undici backend has as many connections as it takes where there is to be no limit", async () => {
  const { url } = await listen(({ message }, response) =>
    sendJson(response, { jsonrpc: "2.0", id: message!.id, result: {} }),
  );
  await expect(open(url, { connections: Infinity }).call("m", MODERN)).resolves.toEqual({});
});

describe("undici decodes nothing", () => {
  it("servers are asked for plain text", async () => {
    const { url, seen } = await listen(({ message }, response) =>
      sendJson(response, { jsonrpc: "2.0", id: message!.id, result: {} }),
    );
    await open(url).call("m", MODERN);
    expect(seen[0]?.headers["accept-encoding"]).toBe("identity");
  });

  it("an answer in a content coding fails with an error that names the coding", async () => {
    const { url } = await listen(({ message }, response) =>
      response
        .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
        .end(gzipSync(JSON.stringify({ jsonrpc: "2.0", id: message!.id, result: {} }))),
    );
    const call = open(url).call("m", MODERN);
    await expect(call).rejects.toMatchObject({ code: "UNEXPECTED_RESPONSE", status: 200 });
    await expect(call).rejects.toThrow("content coding gzip");
  });

  it("a refusal is understood in any content coding", async () => {
    const { url } = await listen((_, response) =>
      response.writeHead(401, { "content-encoding": "gzip" }).end(gzipSync("<html>")),
    );
    await expect(connect(url, { memory: false })).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  });
});

it("calls given up in the queue are never sent, and the others keep their order", async () => {
  const started = withResolvers<ServerResponse>();
  const { url, seen } = await listen(({ message }, response) => {
    if (message?.id === 1) started.resolve(response);
    else sendJson(response, { jsonrpc: "2.0", id: message!.id, result: {} });
  });
  const caller = open(url, { connections: 1 });
  const first = caller.call("m", MODERN);
  const held = await started.promise;
  const stops = Array.from({ length: 100 }, () => new AbortController());
  const calls = stops.map(({ signal }) => caller.call("m", MODERN, { signal }).catch(() => "given up"));
  // Some from the end, and some from the beginning, more than once.
  for (const stop of [...stops.slice(60).toReversed(), ...stops.slice(0, 50), ...stops.slice(70)]) stop.abort();
  sendJson(held, { jsonrpc: "2.0", id: 1, result: {} });
  await first;
  const outcomes = await Promise.all(calls);
  expect(outcomes.filter((outcome) => outcome === "given up")).toHaveLength(90);
  // The first has the id 1, so the call at place 50 has the id 52.
  const kept = Array.from({ length: 10 }, (_, index) => index + 52);
  expect(seen.map(({ message }) => message?.id)).toEqual([1, ...kept]);
});
