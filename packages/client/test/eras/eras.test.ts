import { describe, expect, test } from "vitest";
import type { ClientEra } from "../../src/eras/era.ts";
import { modernEra } from "../../src/eras/modern.ts";
import { legacyEra } from "../../src/legacy/era.ts";
import { RemoteServer } from "../../src/remote-server.ts";
import { type ConnectTarget, toEndpoint } from "../../src/target/endpoint.ts";
import { legacyServer, modernServer } from "../scripted-server.ts";

/** Connects with some eras, as `connect()` does with all of them. */
async function connectWith(eras: readonly ClientEra[], target: ConnectTarget): Promise<RemoteServer> {
  const server = new RemoteServer(toEndpoint(target, {}), eras, { memory: false, reconnect: false });
  await server.connect();
  return server;
}

describe("a client that is given the modern era alone", () => {
  test("calls modern servers", async () => {
    const script = modernServer({ "tools/call": { content: [] } });
    const server = await connectWith([modernEra], script.channel);
    expect(server.agreement.era).toBe(modernEra);
    expect(await server.call("tools/call", { name: "t" })).toMatchObject({ content: [] });
    await server.close();
  });

  test("sends no handshake to a legacy server, and says what it speaks", async () => {
    const script = legacyServer();
    await expect(connectWith([modernEra], script.channel)).rejects.toMatchObject({
      code: "NO_COMMON_REVISION",
      message: expect.stringContaining("this client speaks 2026-07-28; the server") as string,
    });
    expect(script.requests("initialize")).toEqual([]);
  });
});

describe("the order of eras is that of preference", () => {
  test.each([
    ["modern", [modernEra, legacyEra], "server/discover"],
    ["legacy", [legacyEra, modernEra], "initialize"],
  ] as const)("%s first: it is what a server of that era is asked in", async (name, eras, method) => {
    const script = name === "modern" ? modernServer() : legacyServer();
    const server = await connectWith(eras, script.channel);
    expect(server.agreement.era.name).toBe(name);
    expect(script.received[0]).toMatchObject({ method });
    expect(script.requests(name === "modern" ? "initialize" : "server/discover")).toEqual([]);
    await server.close();
  });

  test("a server that refuses the handshake is asked in the next era", async () => {
    const script = modernServer();
    const server = await connectWith([legacyEra, modernEra], script.channel);
    expect(server.agreement.era).toBe(modernEra);
    expect(script.requests("initialize")).toHaveLength(1);
    await server.close();
  });
});
