import { connect, type ClientMiddleware } from "@toolwire/client";
import { createServer } from "@toolwire/server";
import { describe, expect, test } from "vitest";
import { httpPeer, result } from "../http-peer.ts";
import { legacyServer, modernServer } from "../scripted-server.ts";
import { BINDINGS, flags, flagsServer, ID } from "./flags.ts";

const DISCOVERY = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { extensions: { [ID]: {} } },
};

describe.each(BINDINGS)("over %s", (_, open) => {
  test("an extension knows what the server has declared, and its requests are answered", async () => {
    const { client, close } = await open(flagsServer(), { extensions: [flags] });
    const { get, settings, client: inner } = client.use(flags);
    expect(settings()).toEqual({ version: 3 });
    expect(inner.agreement).toMatchObject({ revision: "2026-07-28", era: "modern", server: { name: "flags" } });
    expect(await get("dark-mode")).toMatchObject({ isOn: true });
    expect(await client.request("com.example/flags/get", { name: "other" })).toMatchObject({ isOn: false });
    await close();
  });

  test("a method is refused at once if the server has not declared its extension", async () => {
    const without = createServer({ name: "none", version: "1.0.0" });
    const { client, close } = await open(without as never, { extensions: [flags] });
    const refused = {
      name: "UsageError",
      code: "UNSUPPORTED",
      message: `The server has not declared the extension ${ID}, so it has no com.example/flags/get.`,
    };
    await expect(client.use(flags).get("dark-mode")).rejects.toMatchObject(refused);
    await expect(client.request("com.example/flags/get", { name: "x" })).rejects.toMatchObject(refused);
    expect(client.use(flags).settings()).toBeUndefined();
    await close();
  });

  test("requests of an extension go through the middleware of the client", async () => {
    const seen: unknown[] = [];
    const watch: ClientMiddleware = (call, next) => {
      seen.push([call.method, call.params]);
      return next();
    };
    const { client, close } = await open(flagsServer(), { extensions: [flags], middleware: [watch] });
    await client.use(flags).get("dark-mode");
    expect(seen).toEqual([["com.example/flags/get", { name: "dark-mode" }]]);
    await close();
  });
});

describe("the header Mcp-Name", () => {
  test("repeats the parameter that the extension names, encoded like any other", async () => {
    const peer = await httpPeer((call) =>
      result(call, call.body?.method === "server/discover" ? DISCOVERY : { resultType: "complete", isOn: true }),
    );
    const client = await connect(peer.url, { extensions: [flags] });
    await client.use(flags).get("dark-mode");
    await client.use(flags).get("größe");
    await client.request("com.example/flags/get", {});
    const names = peer.calls.slice(1).map(({ headers }) => headers["mcp-name"]);
    expect(names).toEqual(["dark-mode", `=?base64?${Buffer.from("größe").toString("base64")}?=`, undefined]);
    expect(peer.calls[1]?.headers["mcp-method"]).toBe("com.example/flags/get");
    await client.close();
    await peer.close();
  });

  test("is not sent in the legacy era, which has no such header", async () => {
    const peer = await httpPeer((call) => {
      if (call.body?.method === "server/discover") return { status: 400 };
      if (call.body?.id === undefined) return { status: 202 };
      const agreed = { protocolVersion: "2025-11-25", serverInfo: { name: "x", version: "1" }, ...DISCOVERY };
      return result(call, call.body.method === "initialize" ? agreed : { isOn: true });
    });
    const client = await connect(peer.url, { extensions: [flags], era: "legacy" });
    expect(await client.use(flags).get("dark-mode")).toEqual({ isOn: true });
    expect(peer.calls.some(({ headers }) => "mcp-name" in headers)).toBe(false);
    await client.close();
    await peer.close();
  });
});

describe("in a revision in which the extension is not declared", () => {
  test("its methods do not exist", async () => {
    const server = legacyServer({}, "2024-11-05");
    const client = await connect(server.channel, { extensions: [flags] });
    await expect(client.use(flags).get("dark-mode")).rejects.toMatchObject({
      code: "UNSUPPORTED",
      message: "There is no com.example/flags/get in revision 2024-11-05.",
    });
    await client.close();
  });

  test("a method exists all the same if it names the revision", async () => {
    const server = legacyServer({ "com.example/old": { is: "old" } });
    const old = {
      id: ID,
      settings: () => undefined,
      methods: { "com.example/old": { revisions: ["2025-11-25"] } },
    } as const;
    const client = await connect(server.channel, { extensions: [old] });
    expect(await client.request("com.example/old")).toEqual({ is: "old" });
    await client.close();
  });
});

describe("what a server declares is untrusted", () => {
  test.each([
    ["no object", { [ID]: true }],
    ["an array", { [ID]: [] }],
    ["a list", [ID]],
    ["nothing", undefined],
    ["a name of the prototype", { toString: {} }],
  ])("%s counts as nothing", async (_, extensions) => {
    const odd = { ...flags, id: ID };
    const server = modernServer({ "server/discover": { ...DISCOVERY, capabilities: { extensions } } });
    const client = await connect(server.channel, { extensions: [odd] });
    expect(client.use(odd).settings()).toBeUndefined();
    await expect(client.use(odd).get("x")).rejects.toMatchObject({ code: "UNSUPPORTED" });
    await client.close();
  });
});

describe("notifications", () => {
  test("reach the extension that names them, whose failure is reported and harms nobody", async () => {
    const heard: unknown[] = [];
    const failures: string[] = [];
    const server = modernServer({ "tools/list": { tools: [] } });
    const client = await connect(server.channel, {
      onDiagnostic: ({ message }) => void failures.push(message),
      extensions: [
        { id: "com.example/one", notifications: { "notifications/one": (params) => void heard.push(params) } },
        {
          id: "com.example/two",
          notifications: {
            "notifications/two": () => {
              throw new Error("broken");
            },
          },
        },
      ],
    });
    server.notify("notifications/two", {});
    server.notify("notifications/one", { a: 1 });
    server.notify("notifications/one");
    await client.listTools();
    expect(heard).toEqual([{ a: 1 }, {}]);
    expect(failures).toEqual(["A listener failed at notifications/two: Error: broken"]);
    await client.close();
  });
});
