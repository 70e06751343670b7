import { connect, createServerMemory, type ClientOptions, type ClientDiagnostic } from "@toolwire/client";
import { TransportError, type Channel } from "@toolwire/protocol";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../../../../test/eventually.ts";
import { exchangeServer } from "../exchange-server.ts";
import { isCall, legacyServer, modernServer, SILENCE, type ScriptedServer } from "../scripted-server.ts";

const QUICK: ClientOptions = { reconnect: { delay: 1, maxDelay: 2 }, onDiagnostic: () => {} };
const GONE = new TransportError("CONNECTION_LOST", "the server exited with code 1");

/** A target that makes a new server for every connection. */
function restarting(make: (attempt: number) => ScriptedServer | Error) {
  const servers: ScriptedServer[] = [];
  let attempts = 0;
  const target = (): Channel => {
    const server = make(++attempts);
    if (server instanceof Error) throw server;
    servers.push(server);
    return server.channel;
  };
  return { servers, target, attempts: () => attempts };
}

const hanging = () =>
  modernServer({ "tools/call": (params) => ((params["name"] as string) === "hang" ? SILENCE : { content: [] }) });

describe("a connection that is lost", () => {
  test("rejects what is pending, is opened again, and the next call works", async () => {
    const { servers, target } = restarting(hanging);
    const client = await connect(target, QUICK);
    const call = client.callTool("hang");
    await servers[0]?.arrival(isCall("tools/call"));
    servers[0]?.break(GONE);
    await expect(call).rejects.toBe(GONE);
    await expect(client.callTool("fine")).resolves.toMatchObject({ content: [] });
    expect(servers).toHaveLength(2);
    await client.close();
  });

  test("is not opened again at once because the delay is more than a timer can count", async () => {
    const { servers, target } = restarting(hanging);
    const delay = Number.MAX_SAFE_INTEGER;
    const client = await connect(target, { ...QUICK, reconnect: { delay, maxDelay: delay } });
    const timers = vi.spyOn(globalThis, "setTimeout");
    onTestFinished(() => timers.mockRestore());
    servers[0]?.break(GONE);
    await eventually(() => expect(timers.mock.calls.some(([, ms]) => ms! >= 0x7fff_ffff)).toBe(true));
    expect(timers.mock.calls.filter(([, ms]) => ms! > 0x7fff_ffff)).toEqual([]);
    await client.close();
  });

  test("is a lost connection even without a reason", async () => {
    const { servers, target } = restarting(hanging);
    const client = await connect(target, QUICK);
    const call = client.callTool("hang");
    await servers[0]?.arrival(isCall("tools/call"));
    await servers[0]?.close();
    await expect(call).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    await expect(client.callTool("fine")).resolves.toBeDefined();
    await client.close();
  });

  test("forgets what was cached and known", async () => {
    const listed = { tools: [{ name: "t", inputSchema: { type: "object" } }], ttlMs: 60_000, cacheScope: "public" };
    const { servers, target } = restarting(() => modernServer({ "tools/list": listed }));
    const client = await connect(target, QUICK);
    await client.listTools();
    servers[0]?.break(GONE);
    await client.discover();
    await client.listTools();
    expect(servers[1]?.requests("tools/list")).toHaveLength(1);
    await client.close();
  });

  test("is negotiated anew: the server may have become another one", async () => {
    const { servers, target } = restarting((attempt) =>
      attempt === 1 ? legacyServer({ "tools/call": { content: [] } }) : hanging(),
    );
    const client = await connect(target, QUICK);
    expect(client.era).toBe("legacy");
    servers[0]?.break(GONE);
    await client.callTool("fine");
    expect(client.era).toBe("modern");
    await client.close();
  });

  test("tells a legacy server the log level again", async () => {
    const { servers, target } = restarting(() => legacyServer({ "logging/setLevel": {} }));
    const client = await connect(target, { ...QUICK, logLevel: "error" });
    servers[0]?.break(GONE);
    await client.ping();
    expect(await servers[1]?.arrival(isCall("logging/setLevel"))).toMatchObject({ params: { level: "error" } });
    await client.close();
  });

  test("is tried again until it works, and each failure is reported", async () => {
    const diagnostics: ClientDiagnostic[] = [];
    const { target, servers, attempts } = restarting((attempt) =>
      attempt === 2 || attempt === 3 ? new TransportError("CONNECT_FAILED", "not yet") : hanging(),
    );
    const client = await connect(target, { ...QUICK, onDiagnostic: (event) => diagnostics.push(event) });
    servers[0]?.break(GONE);
    await client.callTool("fine");
    expect(attempts()).toBe(4);
    expect(diagnostics.filter(({ message }) => message.includes("not yet"))).toHaveLength(2);
    await client.close();
  });

  test("is given up as well if the function that makes transports does not say why there is none", async () => {
    const first = modernServer();
    let attempts = 0;
    const target = () => (++attempts === 1 ? first.channel : Promise.reject(undefined as unknown as Error));
    const client = await connect(target, { ...QUICK, reconnect: { attempts: 2, delay: 1 } });
    first.break(GONE);
    expect(await client.closed).toMatchObject({ code: "CONNECTION_LOST" });
    expect(attempts).toBe(3);
  });

  test("is given up after the allowed attempts, for good and with the reasons", async () => {
    const { target, servers, attempts } = restarting((attempt) =>
      attempt > 1 ? new TransportError("CONNECT_FAILED", "no more") : hanging(),
    );
    const client = await connect(target, { ...QUICK, reconnect: { attempts: 3, delay: 1 } });
    servers[0]?.break(GONE);
    const call = client.callTool("fine");
    await expect(call).rejects.toMatchObject({
      code: "CONNECTION_LOST",
      message: expect.stringContaining("exited with code 1") as string,
      cause: { message: "no more" },
    });
    expect(attempts()).toBe(4);
    await expect(client.closed).resolves.toMatchObject({ code: "CONNECTION_LOST" });
    await expect(client.callTool("fine")).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    await client.close();
  });

  test("counts as lost again and again if no connection lasts", async () => {
    const { target, servers, attempts } = restarting(hanging);
    const client = await connect(target, { ...QUICK, reconnect: { attempts: 4, delay: 1 } });
    for (let time = 0; time < 5; time++) {
      await client.callTool("fine");
      servers.at(-1)?.break(GONE);
    }
    await expect(client.closed).resolves.toMatchObject({ code: "CONNECTION_LOST" });
    expect(attempts()).toBe(5);
  });

  test("stays lost with `reconnect: false`, and where there is nothing to open again", async () => {
    const { target, servers } = restarting(hanging);
    for (const [where, options] of [
      [target, { reconnect: false }],
      [hanging(), QUICK],
    ] as const) {
      const server = typeof where === "function" ? undefined : where;
      const client = await connect(server?.channel ?? (where as () => Channel), { ...QUICK, ...options });
      (server ?? servers[0])?.break(GONE);
      await expect(client.closed).resolves.toMatchObject({ code: "CONNECTION_LOST" });
      await expect(client.callTool("fine")).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    }
  });
});

describe("while there is no connection", () => {
  const neverAgain = () =>
    restarting((attempt) => (attempt === 1 ? hanging() : modernServer({ "server/discover": () => SILENCE })));

  test("a call waits no longer than its timeout", async () => {
    const { target, servers } = neverAgain();
    const client = await connect(target, QUICK);
    servers[0]?.break(GONE);
    await expect(client.callTool("fine", {}, { timeout: 5 })).rejects.toMatchObject({ code: "TIMEOUT" });
    await client.close();
  });

  test("a call can be cancelled", async () => {
    const { target, servers } = neverAgain();
    const client = await connect(target, QUICK);
    servers[0]?.break(GONE);
    const stop = new AbortController();
    const call = client.callTool("fine", {}, { signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await client.close();
  });

  test("closing ends the attempts and what waits for them", async () => {
    const { target, servers, attempts } = neverAgain();
    const client = await connect(target, { ...QUICK, reconnect: { delay: 1 } });
    servers[0]?.break(GONE);
    const call = client.callTool("fine");
    await client.close();
    await expect(call).rejects.toMatchObject({ code: "CLOSED" });
    await expect(client.closed).resolves.toBeUndefined();
    expect(attempts()).toBeLessThanOrEqual(2);
  });
});

describe("a session that the server has forgotten", () => {
  const INITIALIZED = {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "x", version: "1" },
  };
  const expired = () => new TransportError("SESSION_EXPIRED", "no such session");

  test("is opened anew, once for all calls that notice, and each is sent again", async () => {
    let sessions = 0;
    const server = exchangeServer({
      initialize: () => {
        sessions++;
        return INITIALIZED;
      },
      "tools/call": async () => {
        const inSession = sessions;
        await Promise.resolve();
        if (inSession === 1) throw expired();
        return { content: [] };
      },
    });
    const client = await connect(server, { era: "legacy" });
    await expect(Promise.all([client.callTool("a"), client.callTool("b"), client.callTool("c")])).resolves.toHaveLength(
      3,
    );
    expect(sessions).toBe(2);
    expect(server.notified.map(({ method }) => method)).toEqual([
      "notifications/initialized",
      "notifications/initialized",
    ]);
    await client.close();
  });

  test("is opened anew a few times for the same call, and not without end", async () => {
    const server = exchangeServer({
      initialize: () => INITIALIZED,
      "tools/call": () => {
        throw expired();
      },
    });
    const client = await connect(server, { era: "legacy" });
    await expect(client.callTool("a")).rejects.toMatchObject({ code: "SESSION_EXPIRED" });
    expect(server.requests("tools/call")).toHaveLength(4);
    expect(server.requests("initialize")).toHaveLength(4);
    await client.close();
  });

  test("is opened anew ever more seldom for an application that never stops to call, if none of them is of use", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let isForgetful = true;
    const server = exchangeServer({
      initialize: () => INITIALIZED,
      "tools/call": () => {
        if (isForgetful) throw expired();
        return { content: [] };
      },
    });
    const client = await connect(server, { era: "legacy", timeout: 600_000 });
    let calls = 0;
    const calling = (async () => {
      for (; calls < 1000; calls++) {
        if (await client.callTool("a").catch(() => false)) break;
      }
    })();
    await vi.advanceTimersByTimeAsync(60_000);
    // Two at once, then after half a second that is doubled up to ten.
    expect(server.requests("initialize").length).toBeLessThan(15);
    isForgetful = false;
    await vi.advanceTimersByTimeAsync(10_000);
    await calling;
    // Once one of them was of use, the next is opened at once again.
    const before = server.requests("initialize").length;
    isForgetful = true;
    const lost = client.callTool("a");
    await vi.advanceTimersByTimeAsync(0);
    expect(server.requests("initialize").length).toBeGreaterThan(before);
    isForgetful = false;
    await vi.advanceTimersByTimeAsync(1000);
    await lost;
    await client.close();
  });

  test("rejects the call if it cannot be opened anew, but the next call tries again", async () => {
    let initializations = 0;
    const server = exchangeServer({
      initialize: () => {
        if (++initializations === 2) throw new TransportError("CONNECT_FAILED", "restarting");
        return INITIALIZED;
      },
      "tools/call": () => {
        if (initializations < 3) throw expired();
        return { content: [] };
      },
    });
    const client = await connect(server, { era: "legacy" });
    await expect(client.callTool("a")).rejects.toMatchObject({ code: "CONNECT_FAILED" });
    await expect(client.callTool("a")).resolves.toEqual({ content: [] });
    await client.close();
  });
});

test("the findings about a server are remembered for the next connection", async () => {
  const memory = createServerMemory();
  memory.set("kept by another key", "legacy");
  const client = await connect(legacyServer().channel, { memory });
  await client.close();
  // A ready-made transport has no name to be remembered by.
  expect(memory.get("kept by another key")).toBe("legacy");
});
