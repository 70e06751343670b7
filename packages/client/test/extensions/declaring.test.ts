import { connect, type ClientExtension } from "@toolwire/client";
import type { RequestMessage } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { legacyServer, modernServer } from "../scripted-server.ts";

const ID = "com.example/flags";

/** An extension that is declared in some revisions, and has a capability of its own in another. */
const flags: ClientExtension = {
  id: ID,
  settings: (revision) => (revision === "2025-11-25" ? undefined : { revision }),
  capabilities: (revision) => (revision === "2025-11-25" ? ({ flags: { get: {} } } as object) : undefined),
};

/** The capabilities that a request declares. */
function declared(request: RequestMessage | undefined): unknown {
  const { _meta, capabilities } = (request?.params ?? {}) as {
    _meta?: Record<string, unknown>;
    capabilities?: unknown;
  };
  return _meta?.["io.modelcontextprotocol/clientCapabilities"] ?? capabilities;
}

describe("what an extension declares", () => {
  test("is in the capabilities of every modern request, beside those of the handlers and of the application", async () => {
    const server = modernServer({ "tools/list": { tools: [] } });
    const client = await connect(server.channel, {
      extensions: [flags, { id: "com.example/plain" }],
      roots: [],
      capabilities: { extensions: { "com.example/other": { a: 1 } }, experimental: { e: {} } },
    });
    await client.listTools();
    const expected = {
      roots: {},
      experimental: { e: {} },
      extensions: { "com.example/other": { a: 1 }, "com.example/plain": {}, [ID]: { revision: "2026-07-28" } },
    };
    expect(declared(server.requests("server/discover")[0])).toEqual(expected);
    expect(declared(server.requests("tools/list")[0])).toEqual(expected);
    await client.close();
  });

  test("is in `initialize` in the legacy era, and may differ by revision", async () => {
    const [older, newer] = [legacyServer({}, "2025-06-18"), legacyServer()];
    const extensions = [flags];
    const one = await connect(older.channel, { extensions, revision: "2025-06-18" });
    const two = await connect(newer.channel, { extensions, revision: "2025-11-25" });
    expect(declared(older.requests("initialize")[0])).toEqual({ extensions: { [ID]: { revision: "2025-06-18" } } });
    expect(declared(newer.requests("initialize")[0])).toEqual({ flags: { get: {} } });
    await Promise.all([one.close(), two.close()]);
  });

  test("is nothing that a client without extensions declares", async () => {
    const server = modernServer();
    const client = await connect(server.channel);
    expect(declared(server.requests("server/discover")[0])).toEqual({});
    await client.close();
  });
});
