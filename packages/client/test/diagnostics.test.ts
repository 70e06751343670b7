import { connect } from "@toolwire/client";
import { afterEach, expect, test, vi } from "vitest";
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

test("nor does one that fails later", async () => {
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
