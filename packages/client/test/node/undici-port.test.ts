import { gzipSync } from "node:zlib";
import { connect } from "@toolwire/client";
import { MetaKey, UsageError } from "@toolwire/protocol";
import { Caller } from "@toolwire/protocol/engine";
import { describe, expect, it, onTestFinished } from "vitest";
import { createNodeHttpTransport, type NodeHttpOptions } from "../../src/node/index.ts";
import { listen, sendJson } from "../http/listen.ts";

const MODERN = { _meta: { [MetaKey.ProtocolVersion]: "2026-07-28", [MetaKey.ClientCapabilities]: {} } };

function open(url: string, options?: NodeHttpOptions): Caller {
  const transport = createNodeHttpTransport(url, options);
  void transport.open({});
  onTestFinished(() => transport.close());
  return new Caller(transport, { timeout: 20_000 });
}

it("refuses a number of connections that would be no limit", () => {
  for (const connections of [Number.NaN, -1]) {
    expect(() => createNodeHttpTransport("http://127.0.0.1/", { connections })).toThrow(UsageError);
  }
});

it("has as many connections as it takes where there is to be no limit", async () => {
  const { url } = await listen(({ message }, response) =>
    sendJson(response, { jsonrpc: "2.0", id: message!.id, result: {} }),
  );
  await expect(open(url, { connections: Infinity }).call("m", MODERN)).resolves.toEqual({});
});

describe("undici decodes nothing", () => {
  it("so servers are asked for plain text", async () => {
    const { url, seen } = await listen(({ message }, response) =>
      sendJson(response, { jsonrpc: "2.0", id: message!.id, result: {} }),
    );
    await open(url).call("m", MODERN);
    expect(seen[0]?.headers["accept-encoding"]).toBe("identity");
  });

  it("so an answer that is coded all the same is told by its coding", async () => {
    const { url } = await listen(({ message }, response) =>
      response
        .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
        .end(gzipSync(JSON.stringify({ jsonrpc: "2.0", id: message!.id, result: {} }))),
    );
    const call = open(url).call("m", MODERN);
    await expect(call).rejects.toMatchObject({ code: "UNEXPECTED_RESPONSE", status: 200 });
    await expect(call).rejects.toThrow("content coding gzip");
  });

  it("but a refusal is a refusal in any coding", async () => {
    const { url } = await listen((_, response) =>
      response.writeHead(401, { "content-encoding": "gzip" }).end(gzipSync("<html>")),
    );
    await expect(connect(url, { memory: false })).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  });
});
