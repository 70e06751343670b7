import { connect } from "@toolwire/client";
import { spawnServer, type ServerProcess } from "@toolwire/client/stdio";
import { describe, expect, test, vi } from "vitest";
import { until } from "../../../../test/eventually.ts";
import { isCall, legacyServer, modernServer, SILENCE } from "../scripted-server.ts";
import { isRunning } from "../transports/stdio/is-running.ts";

/** A server that says nothing, does not care for the end of its input, and has to be ended by a signal. */
function muteServer(): ServerProcess {
  const args = ["-e", "setInterval(() => {}, 60_000)"];
  return spawnServer({ command: process.execPath, args, stderr: "ignore", stopTimeout: 500 });
}

describe("an abort while connecting to a mute server rejects at once, while the server is being ended", () => {
  test("by a signal", async () => {
    const server = muteServer();
    const stop = new AbortController();
    const connecting = connect(() => server, { signal: stop.signal });
    await until(() => server.pid !== undefined);
    stop.abort(new RangeError("changed my mind"));
    await expect(connecting).rejects.toThrow(new RangeError("changed my mind"));
    expect(isRunning(server.pid!)).toBe(true);
    await expect.poll(() => isRunning(server.pid!)).toBe(false);
  });

  test("by `connectTimeout`", async () => {
    const server = muteServer();
    await expect(connect(() => server, { connectTimeout: 1_000 })).rejects.toMatchObject({
      code: "TIMEOUT",
      message: "No connection within 1000 ms. If it may take longer, raise `connectTimeout`.",
    });
    expect(isRunning(server.pid!)).toBe(true);
    await expect.poll(() => isRunning(server.pid!)).toBe(false);
  });
});

describe("a server that does not answer to the log level keeps nobody longer than", () => {
  const QUIET = { logLevel: "info", onDiagnostic: () => {} } as const;

  test("they want to wait", async () => {
    const server = legacyServer({ "logging/setLevel": () => SILENCE });
    const stop = new AbortController();
    const onDiagnostic = vi.fn();
    const connecting = connect(server.channel, { logLevel: "info", onDiagnostic, signal: stop.signal });
    await server.arrival(isCall("logging/setLevel"));
    stop.abort(new RangeError("changed my mind"));
    await expect(connecting).rejects.toThrow(new RangeError("changed my mind"));
    expect(onDiagnostic).not.toHaveBeenCalled();
    expect(() => server.channel.send({ jsonrpc: "2.0", method: "notifications/x" })).toThrow("closed");
  });

  test("`connectTimeout` allows", async () => {
    const server = legacyServer({ "logging/setLevel": () => SILENCE });
    const client = await connect(server.channel, { ...QUIET, connectTimeout: 200 });
    expect(client.era).toBe("legacy");
    await client.close();
  });
});

test("closing a client that is about to connect again leaves nothing of what it has started", async () => {
  const first = modernServer();
  const second = muteServer();
  const servers = [first.channel, second];
  const client = await connect(() => servers.shift()!, { reconnect: { delay: 1 }, onDiagnostic: () => {} });
  first.break(new Error("lost"));
  await until(() => second.pid !== undefined);
  await client.close();
  expect(isRunning(second.pid!)).toBe(false);
});
