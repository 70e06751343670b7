import { connect } from "@toolwire/client";
import type { Message } from "@toolwire/protocol";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { modernServer } from "./scripted-server.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

test("a listener that fails at what a server does wrong takes nothing along, and what it was told is shown", async () => {
  const shown = vi.spyOn(console, "warn").mockImplementation(() => {});
  const server = modernServer({ "tools/call": { content: [] } });
  const client = await connect(server.channel, {
    onDiagnostic: () => {
      throw new Error("not prepared for this");
    },
  });
  // Over the same channel as the answer to the call, right before it.
  server.send({ jsonrpc: "2.0", id: 4711, result: {} });
  await expect(client.callTool("t")).resolves.toEqual({ content: [] });
  expect(shown.mock.calls).toEqual([[expect.stringContaining("No request with the id 4711 was sent")]]);
  await client.close();
});

test("a listener that rejects later takes nothing along either, and what it was told is shown", async () => {
  const shown = vi.spyOn(console, "warn").mockImplementation(() => {});
  const server = modernServer({ "tools/call": { content: [] } });
  const client = await connect(server.channel, {
    onDiagnostic: () => Promise.reject(new Error("not prepared for this")),
  });
  server.send({ jsonrpc: "2.0", id: 4711, result: {} });
  await expect(client.callTool("t")).resolves.toEqual({ content: [] });
  expect(shown.mock.calls).toEqual([[expect.stringContaining("No request with the id 4711 was sent")]]);
  await client.close();
});

test("a listener to notifications may throw nothing at all", async () => {
  const server = modernServer({ "tools/call": { content: [] } });
  const told = vi.fn();
  const client = await connect(server.channel, {
    onNotification: () => {
      // oxlint-disable-next-line no-throw-literal, typescript/only-throw-error -- anything can be thrown
      throw undefined;
    },
    onDiagnostic: ({ message }) => void told(message),
  });
  expect(() => server.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })).not.toThrow();
  await expect(client.callTool("t")).resolves.toEqual({ content: [] });
  expect(told).toHaveBeenCalledWith("A listener failed at notifications/tools/list_changed: undefined");
  await client.close();
});

/** Whether a text holds what a terminal takes for a command, or what cannot be seen. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

test("words of a server that could command a terminal, or forge lines of a log, are shown as what they are", async () => {
  const shown: string[] = [];
  vi.spyOn(console, "warn").mockImplementation((line: string) => void shown.push(line));
  const server = modernServer({
    "tools/call": { content: [] },
    "tools/list": { tools: [{ name: "\u001B[2J\u202Ea" }] },
  });
  const client = await connect(server.channel);
  const evil = "\u001B]0;PWNED\u0007\u001B[2J\u009B31m\u202Ereversed\u2028\n[toolwire] All is well.";
  server.send({ jsonrpc: "2.0", error: { code: -1, message: evil } } as Message);
  server.send({ jsonrpc: "2.0", id: evil, result: {} });
  server.send({ jsonrpc: "2.0", id: 1, method: evil });
  await client.callTool("t");
  await client.listTools();
  expect(shown).toHaveLength(4);
  for (const line of shown) expect(line).not.toMatch(UNPRINTABLE);
  expect(shown[0]).toContain(
    String.raw`"\u001b]0;PWNED\u0007\u001b[2J\u009b31m\u202ereversed\u2028\n[toolwire] All is well."`,
  );
  await client.close();
});

test("listeners of one's own get such words escaped, too", async () => {
  const told: string[] = [];
  const server = modernServer({ "tools/call": { content: [] } });
  const client = await connect(server.channel, { onDiagnostic: ({ message }) => void told.push(message) });
  server.send({ jsonrpc: "2.0", error: { code: -1, message: `\u001B[2J${"long ".repeat(1000)}` } } as Message);
  await client.callTool("t");
  expect(told).toHaveLength(1);
  expect(told[0]).not.toMatch(UNPRINTABLE);
  expect(told[0]!.length).toBeLessThan(500);
  await client.close();
});

test("a server that breaks the protocol without end is reported a few times, and then once a minute", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const told: string[] = [];
  const server = modernServer({ "tools/call": { content: [] } });
  const client = await connect(server.channel, { onDiagnostic: ({ message }) => void told.push(message) });
  const breakRules = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time++) server.send({ jsonrpc: "2.0", id: 1_000_000 + time, result: {} });
    await client.callTool("t");
  };
  await breakRules(100_000);
  expect(told).toHaveLength(10);
  expect(told.at(-1)).toContain("Further ones of this kind are counted");
  vi.advanceTimersByTime(61_000);
  await breakRules(100_000);
  expect(told).toHaveLength(11);
  expect(told.at(-1)).toContain("99991 times");
  // Another kind of fault is news.
  server.send({ jsonrpc: "2.0", id: 1, method: "sampling/createMessage" });
  await client.callTool("t");
  expect(told).toHaveLength(12);
  await client.close();
});
