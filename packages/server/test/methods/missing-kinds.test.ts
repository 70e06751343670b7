/** The answers of a server that has no tools, no prompts or no resources: it does not have their methods, either. */
import { REVISIONS } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { accessControl, createServer, tool, type Server, type ServerOptions } from "../../src/index.ts";
import { LegacyClient, ModernClient, type WireClient } from "../wire-client.ts";

function define(options: Partial<ServerOptions> = {}): Server {
  return createServer({ name: "bare", version: "1", ...options });
}

const METHODS: readonly (readonly [method: string, params: object])[] = [
  ["tools/list", {}],
  ["tools/call", { name: "echo", arguments: {} }],
  ["prompts/list", {}],
  ["prompts/get", { name: "review" }],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "notes://todo" }],
  ["completion/complete", { ref: { type: "ref/prompt", name: "review" }, argument: { name: "a", value: "" } }],
];

const notFound = (method: string): object => ({ code: -32601, message: `Method not found: ${method}` });

describe.each(REVISIONS)("without the kind that it is for, in %s,", (revision) => {
  const open = async (server: Server): Promise<WireClient> =>
    revision === "2026-07-28" ? new ModernClient(server) : LegacyClient.open(server, { revision });

  test.each(METHODS)("%s is a method that is not found", async (method, params) => {
    const client = await open(define());
    await expect(client.request(method, params)).rejects.toMatchObject(notFound(method));
  });

  test.each(METHODS)(
    "%s is not found whatever access control says, and whatever unknown tools get",
    async (method, params) => {
      for (const verdict of [true, false]) {
        const client = await open(define({ unknownTool: "result", middleware: [accessControl(() => verdict)] }));
        await expect(client.request(method, params)).rejects.toMatchObject(notFound(method));
      }
    },
  );

  test("calls are of unknown tools, prompts and resources if there are none yet, or none any more", async () => {
    const server = define({ tools: {}, prompts: {}, resources: {} });
    const client = await open(server);
    await expect(client.request("tools/call", { name: "echo" })).rejects.toMatchObject({ code: -32602 });
    await expect(client.request("prompts/get", { name: "review" })).rejects.toMatchObject({ code: -32602 });
    await expect(client.request("resources/read", { uri: "notes://todo" })).rejects.toMatchObject({
      message: "Resource not found",
    });
    const late = define();
    const lateClient = await open(late);
    late.tools.add("echo", tool({ run: () => "" }));
    late.tools.remove("echo");
    await expect(lateClient.request("tools/call", { name: "echo" })).rejects.toMatchObject({ code: -32602 });
  });
});
