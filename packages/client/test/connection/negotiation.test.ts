import { connect, createServerMemory } from "@toolwire/client";
import { ProtocolViolation, RpcError, TransportError, type Channel, type ChannelReceiver } from "@toolwire/protocol";
import { createServer } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { describe, expect, test } from "vitest";
import { EVERYTHING, isCall, legacyServer, modernServer, scriptedServer, SILENCE } from "../scripted-server.ts";

describe("a modern server", () => {
  test("is asked with server/discover, in the newest revision, before anything else", async () => {
    const server = modernServer();
    const client = await connect(server.channel, { info: { name: "tester", version: "2.0.0" } });
    expect(server.received).toHaveLength(1);
    expect(server.received[0]).toMatchObject({
      method: "server/discover",
      params: {
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "tester", version: "2.0.0" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    });
    expect(client).toMatchObject({ revision: "2026-07-28", era: "modern", server: { name: "modern" } });
    expect(client.capabilities).toEqual(EVERYTHING);
    await client.close();
  });

  test("may give its name at the top of the result, as drafts had it", async () => {
    const server = modernServer({
      "server/discover": {
        supportedVersions: ["2026-07-28"],
        capabilities: {},
        serverInfo: { name: "drafty", version: "1" },
        instructions: "Be kind.",
      },
    });
    const client = await connect(server.channel);
    expect(client.server).toEqual({ name: "drafty", version: "1" });
    expect(client.instructions).toBe("Be kind.");
    await client.close();
  });

  test("is asked again in a revision it supports if it refuses one, even if it is the same", async () => {
    let asked = 0;
    const server = modernServer({
      "server/discover": () => {
        if (++asked === 1) {
          throw new RpcError(-32022, "Unsupported protocol version", {
            data: { supported: ["2026-07-28"], requested: "2026-07-28" },
          });
        }
        return { supportedVersions: ["2026-07-28"], capabilities: {} };
      },
    });
    const client = await connect(server.channel);
    expect(asked).toBe(2);
    expect(server.requests("initialize")).toHaveLength(0);
    await client.close();
  });

  test("is given up if it never accepts what it lists, with the revisions of each side in the error", async () => {
    const server = modernServer({
      "server/discover": () => {
        throw new RpcError(-32022, "No", { data: { supported: ["2026-07-28"], requested: "2026-07-28" } });
      },
    });
    await expect(connect(server.channel)).rejects.toMatchObject({ code: "NO_COMMON_REVISION" });
    expect(server.requests("server/discover").length).toBeLessThanOrEqual(3);
  });

  test("names its path if it is asked at another one, also to a client of one era", async () => {
    await using serving = await serveHttp(createServer({ name: "elsewhere", version: "1.0.0" }), {
      port: 0,
      path: "/a",
    });
    const failure = connect(new URL("/b", serving.url), { era: "modern", memory: false });
    await expect(failure).rejects.toThrow("There is no MCP endpoint at this path; it is /a.");
  });

  test("is refused by name if it speaks another revision only, without a handshake", async () => {
    const server = modernServer({
      "server/discover": () => {
        throw new RpcError(-32022, "No", { data: { supported: ["2027-01-01"], requested: "2026-07-28" } });
      },
      initialize: { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "x", version: "1" } },
    });
    const error = await connect(server.channel).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ProtocolViolation);
    expect(error).toMatchObject({ code: "NO_COMMON_REVISION" });
    expect((error as Error).message).toContain("2027-01-01");
    expect((error as Error).message).toContain("2026-07-28, 2025-11-25");
    expect(server.requests("initialize")).toHaveLength(0);
  });

  test("is spoken to in legacy revisions if it lists only those", async () => {
    const server = legacyServer({
      "server/discover": () => {
        throw new RpcError(-32022, "No", {
          data: { supported: ["2025-11-25", "2025-06-18"], requested: "2026-07-28" },
        });
      },
    });
    const client = await connect(server.channel);
    expect(client.revision).toBe("2025-11-25");
    await client.close();
  });

  test.each([-32020, -32021])("is recognised by error %d, which is passed on instead of falling back", async (code) => {
    const server = legacyServer({
      "server/discover": () => {
        throw new RpcError(code, "not like this");
      },
    });
    await expect(connect(server.channel)).rejects.toMatchObject({ code, message: "not like this" });
    expect(server.requests("initialize")).toHaveLength(0);
  });

  test("is negotiated with again if it refuses a later request for its revision, and asked once more", async () => {
    let calls = 0;
    const server = modernServer({
      "tools/call": () => {
        if (++calls === 1) throw new RpcError(-32022, "No", { data: { supported: ["2026-07-28"], requested: "x" } });
        return { content: [] };
      },
    });
    const client = await connect(server.channel);
    await expect(client.callTool("x")).resolves.toMatchObject({ content: [] });
    expect(server.requests("server/discover")).toHaveLength(2);
    await client.close();
  });
});

describe("a legacy server", () => {
  test.each([-32601, -32602, -32600, -32000, -1])("may refuse the probe with error %d", async (code) => {
    const server = legacyServer({
      "server/discover": () => {
        throw new RpcError(code, "what?");
      },
    });
    const client = await connect(server.channel);
    expect(client).toMatchObject({ revision: "2025-11-25", era: "legacy", server: { name: "legacy" } });
    await client.close();
  });

  test("may answer the probe with nonsense", async () => {
    const server = legacyServer({ "server/discover": {} });
    const client = await connect(server.channel);
    expect(client.era).toBe("legacy");
    await client.close();
  });

  test("may stay silent at the probe", async () => {
    const server = legacyServer({ "server/discover": () => SILENCE });
    const client = await connect(server.channel, { probeTimeout: 1 });
    expect(client.era).toBe("legacy");
    await client.close();
  });

  test("is offered the handshake once if it is slow to say that it is a legacy server", async () => {
    const server = legacyServer({
      "server/discover": async (_, __, self) => {
        await self.arrival(isCall("initialize"));
        throw new RpcError(-32022, "Unsupported protocol version", { data: { supported: ["2025-11-25"] } });
      },
    });
    const client = await connect(server.channel, { probeTimeout: 1 });
    // Whatever the late answer leads to, it leads to before the second of these.
    await client.ping();
    await client.ping();
    expect(client.era).toBe("legacy");
    expect(server.requests("initialize")).toHaveLength(1);
    await client.close();
  });

  test("is offered the newest legacy revision, told that the client is ready, and asked nothing before", async () => {
    const server = legacyServer({ "tools/list": { tools: [] } });
    const client = await connect(server.channel, { info: { name: "tester", version: "2.0.0" } });
    await client.listTools();
    const methods = server.received.map((message) => ("method" in message ? message.method : "response"));
    expect(methods).toEqual(["server/discover", "initialize", "notifications/initialized", "tools/list"]);
    expect(server.requests("initialize")[0]?.params).toEqual({
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "tester", version: "2.0.0" },
    });
    await client.close();
  });

  test.each(["2025-06-18", "2025-03-26", "2024-11-05"])("may choose revision %s", async (revision) => {
    const client = await connect(legacyServer({}, revision).channel);
    expect(client.revision).toBe(revision);
    await client.close();
  });

  test("is left if it chooses an unknown revision", async () => {
    const error = await connect(legacyServer({}, "2023-01-01").channel).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "NO_COMMON_REVISION" });
    expect((error as Error).message).toContain("the server speaks 2023-01-01");
  });

  test("gets a revision that it lists if it refuses the one that was offered", async () => {
    const server = legacyServer({
      initialize: (params) => {
        const { protocolVersion } = params as { readonly protocolVersion?: string };
        if (protocolVersion !== "2025-03-26") {
          throw new RpcError(-32602, "Unsupported protocol version", { data: { supported: ["2025-03-26"] } });
        }
        return { protocolVersion, capabilities: {}, serverInfo: { name: "x", version: "1" } };
      },
    });
    const client = await connect(server.channel);
    expect(client.revision).toBe("2025-03-26");
    await client.close();
  });

  test("is started again without a probe if it exits at the probe", async () => {
    const started: ReturnType<typeof legacyServer>[] = [];
    const client = await connect(() => {
      const server = legacyServer({
        "server/discover": async (_, __, self) => {
          await self.close();
          return SILENCE;
        },
      });
      started.push(server);
      return server.channel;
    });
    expect(client.era).toBe("legacy");
    expect(started).toHaveLength(2);
    expect(started[1]?.requests("server/discover")).toHaveLength(0);
    await client.close();
  });
});

describe("a modern server that is slow to start", () => {
  test("is not taken for a legacy one, though it was offered the handshake as well", async () => {
    const server = modernServer({
      "server/discover": async (_, __, self) => {
        await self.arrival(isCall("initialize"));
        return { supportedVersions: ["2026-07-28"], capabilities: {} };
      },
      initialize: () => {
        throw new RpcError(-32601, "This server speaks 2026-07-28.");
      },
    });
    const client = await connect(server.channel, { probeTimeout: 1 });
    expect(client.era).toBe("modern");
    await client.close();
  });

  test("is reported by its answer to the handshake if it then refuses both", async () => {
    const server = scriptedServer({
      "server/discover": async (_, __, self) => {
        await self.arrival(isCall("initialize"));
        throw new RpcError(-32603, "first");
      },
      initialize: () => {
        throw new RpcError(-32603, "second");
      },
    });
    await expect(connect(server.channel, { probeTimeout: 1 })).rejects.toMatchObject({ message: "second" });
  });
});

describe("pinning", () => {
  test("a legacy revision skips the probe and offers that revision, in its own words", async () => {
    const server = legacyServer({}, "2025-06-18");
    const client = await connect(server.channel, {
      revision: "2025-06-18",
      info: { name: "t", version: "1", title: "T", websiteUrl: "https://example.com" },
      elicitation: () => ({ action: "cancel" }),
    });
    expect(client.revision).toBe("2025-06-18");
    expect(server.requests("server/discover")).toHaveLength(0);
    expect(server.requests("initialize")[0]?.params).toEqual({
      protocolVersion: "2025-06-18",
      clientInfo: { name: "t", version: "1", title: "T" },
      capabilities: { elicitation: {} },
    });
    await client.close();
  });

  test("a legacy revision refuses a server that answers with another", async () => {
    const server = legacyServer({}, "2024-11-05");
    await expect(connect(server.channel, { revision: "2025-06-18" })).rejects.toMatchObject({
      code: "NO_COMMON_REVISION",
      message: expect.stringContaining("this client speaks 2025-06-18; the server speaks 2024-11-05") as string,
    });
  });

  test("the modern era never falls back", async () => {
    const server = legacyServer();
    await expect(connect(server.channel, { era: "modern" })).rejects.toMatchObject({
      code: "NO_COMMON_REVISION",
      message: expect.stringContaining("this client speaks 2026-07-28; the server seems to be older") as string,
      cause: { code: -32601 },
    });
    expect(server.requests("initialize")).toHaveLength(0);
  });

  test("the legacy era never probes", async () => {
    const server = legacyServer();
    const client = await connect(server.channel, { era: "legacy" });
    expect(server.requests("server/discover")).toHaveLength(0);
    await client.close();
  });
});

describe("giving up", () => {
  test("a connection that takes too long is given up, and the transport closed", async () => {
    const server = scriptedServer({ "server/discover": () => SILENCE, initialize: () => SILENCE });
    const closed = new Promise<void>((resolve) => {
      const { close } = server.channel;
      (server.channel as { close: Channel["close"] }).close = () => {
        resolve();
        return close();
      };
    });
    await expect(connect(server.channel, { connectTimeout: 5, probeTimeout: 1 })).rejects.toMatchObject({
      code: "TIMEOUT",
    });
    await closed;
  });

  test("a signal aborts connecting, also while the transport is opening", async () => {
    const stop = new AbortController();
    let isClosed = false;
    const stuck: Channel = {
      open: (_receiver: ChannelReceiver) => {
        queueMicrotask(() => stop.abort(new Error("enough")));
        return new Promise(() => {});
      },
      send() {},
      close: async () => {
        isClosed = true;
      },
    };
    await expect(connect(stuck, { signal: stop.signal })).rejects.toThrow("enough");
    expect(isClosed).toBe(true);
  });

  test("a server that leaves is reported with its last words, or without", async () => {
    const lastWords = new TransportError("CONNECTION_LOST", "exit code 1: no such file");
    for (const [reason, expected] of [
      [lastWords, lastWords],
      [undefined, expect.objectContaining({ code: "CONNECTION_LOST" })],
    ] as const) {
      const leaving: Channel = {
        open: (receiver) => receiver.closed(reason),
        send() {},
        close: async () => {},
      };
      await expect(connect(leaving)).rejects.toEqual(expected);
    }
  });

  test("a server that is gone before anything was sent is started once", async () => {
    let started = 0;
    const leaving = (): Channel => {
      started++;
      return { open: (receiver) => receiver.closed(), send() {}, close: async () => {} };
    };
    await expect(connect(leaving)).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    expect(started).toBe(1);
  });

  test("a server that leaves at the probe and at the handshake is started no more than twice", async () => {
    let started = 0;
    const leaving = (): Channel => {
      started++;
      let receiver: ChannelReceiver | undefined;
      return {
        open(given) {
          receiver = given;
        },
        send: () => receiver?.closed(new TransportError("CONNECTION_LOST", `start ${started} failed`)),
        close: async () => {},
      };
    };
    await expect(connect(leaving)).rejects.toMatchObject({ code: "CONNECTION_LOST", message: "start 2 failed" });
    expect(started).toBe(2);
    for (const era of ["modern", "legacy"] as const) {
      started = 0;
      await expect(connect(leaving, { era })).rejects.toMatchObject({ code: "CONNECTION_LOST" });
      expect(started).toBe(1);
    }
  });

  test("a transport that cannot open says why", async () => {
    const broken: Channel = {
      open: () => Promise.reject(new TransportError("CONNECT_FAILED", "no such server")),
      send() {},
      close: async () => {},
    };
    await expect(connect(broken)).rejects.toMatchObject({ code: "CONNECT_FAILED", message: "no such server" });
  });
});

describe("the memory of servers", () => {
  test("forgets whom it has not met for longest", () => {
    const memory = createServerMemory({ maxServers: 2 });
    memory.set("a", "legacy");
    memory.set("b", "modern");
    memory.set("a", "legacy");
    memory.set("c", "sse-pair");
    expect([memory.get("a"), memory.get("b"), memory.get("c")]).toEqual(["legacy", undefined, "sse-pair"]);
    memory.delete("a");
    expect(memory.get("a")).toBeUndefined();
  });
});

test.each([
  ["modern", modernServer],
  ["legacy", legacyServer],
] as const)("the description of a %s server is not changed by what an application does with it", async (_, make) => {
  const client = await connect(make().channel);
  const { capabilities, server } = client;
  Object.assign(server!, { name: "other" });
  delete (capabilities as { tools?: object }).tools;
  (capabilities.resources as { subscribe?: boolean }).subscribe = false;
  expect(client.capabilities).toEqual(EVERYTHING);
  expect(client.server).not.toMatchObject({ name: "other" });
  await client.close();
});
