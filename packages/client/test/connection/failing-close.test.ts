import { connect, type Channel } from "@toolwire/client";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../../../../test/eventually.ts";
import { legacyServer, modernServer, SILENCE, type ScriptedServer } from "../scripted-server.ts";
import { withResolvers } from "../with-resolvers.ts";

/** The two ways in which `close()` can fail. */
const FAILURES: readonly (readonly [how: string, close: () => Promise<void>])[] = [
  [
    "at once",
    () => {
      throw new Error("close failed");
    },
  ],
  ["later", () => Promise.reject(new Error("close failed"))],
];

/** Collects what nobody has caught, which ends a process that does not listen for it. */
function collectUncaught(): unknown[] {
  const uncaught: unknown[] = [];
  const before = process.rawListeners("unhandledRejection") as NodeJS.UnhandledRejectionListener[];
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", (error) => uncaught.push(error));
  onTestFinished(() => {
    process.removeAllListeners("unhandledRejection");
    for (const listener of before) process.on("unhandledRejection", listener);
  });
  return uncaught;
}

/** Waits for uncaught errors, which are reported once everything that is due has had its turn. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function failingAtClose({ channel }: ScriptedServer, close: () => Promise<void>): Channel {
  return { open: (receiver) => channel.open(receiver), send: (message) => channel.send(message), close };
}

test.each(FAILURES)("a transport that comes too late and fails to close, %s, does no harm", async (_, fail) => {
  const uncaught = collectUncaught();
  let closed = 0;
  const close = (): Promise<void> => {
    closed++;
    return fail();
  };
  const late = withResolvers<Channel>();
  await expect(connect(() => late.promise, { connectTimeout: 1 })).rejects.toMatchObject({ code: "TIMEOUT" });
  late.resolve(failingAtClose(modernServer(), close));
  await until(() => closed > 0);
  await settle();
  expect(uncaught).toEqual([]);
});

test.each(FAILURES)(
  "a transport that cannot be opened, and fails to close, %s, tells the real reason",
  async (_, close) => {
    const channel: Channel = {
      open() {
        throw new Error("the real reason");
      },
      send() {},
      close,
    };
    await expect(connect(() => channel)).rejects.toThrow("the real reason");
  },
);

test.each(FAILURES)("the refusal of a handshake is reported, even if closing fails, %s", async (_, close) => {
  const server = legacyServer({ initialize: () => ({ protocolVersion: "1999-01-01", capabilities: {} }) });
  const connecting = connect(() => failingAtClose(server, close), { era: "legacy" });
  await expect(connecting).rejects.toThrow("1999-01-01");
});

test.each(FAILURES)("an abort while the log level is set is reported, even if closing fails, %s", async (_, close) => {
  const uncaught = collectUncaught();
  const stop = new AbortController();
  const server = legacyServer({
    "logging/setLevel": () => {
      stop.abort(new RangeError("changed my mind"));
      return SILENCE;
    },
  });
  const connecting = connect(failingAtClose(server, close), { era: "legacy", logLevel: "info", signal: stop.signal });
  await expect(connecting).rejects.toThrow("changed my mind");
  await settle();
  expect(uncaught).toEqual([]);
});

test.each(FAILURES)("a connection that was lost and fails to close, %s, is replaced", async (_, close) => {
  const uncaught = collectUncaught();
  const servers = [modernServer(), modernServer({ "tools/call": { content: [] } })];
  let opened = 0;
  const next = (): Channel => failingAtClose(servers[opened++]!, opened === 1 ? close : async () => {});
  const client = await connect(next, { reconnect: { delay: 1 }, onDiagnostic() {} });
  onTestFinished(() => client.close());
  servers[0]!.break(new Error("broken pipe"));
  await expect(client.callTool("t")).resolves.toEqual({ content: [] });
  await settle();
  expect(uncaught).toEqual([]);
});
