import { ErrorCode, MetaKey, RpcError, type RequestMessage } from "@toolwire/protocol";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { bindingOf, type Origin, type ServerReply } from "../src/binding.ts";
import { createServer, tool } from "../src/index.ts";
import type { Json } from "./wire-client.ts";

const definition = createServer({
  name: "d",
  version: "1",
  revisions: ["2026-07-28", "2025-06-18", "2024-11-05"],
  tools: {
    echo: tool({ input: z.object({ text: z.string() }), run: ({ text }) => text }),
    later: tool({ run: async () => "later" }),
    sees: tool({ run: (_args, ctx) => ctx.revision }),
    never: tool({ run: async () => new Promise<never>(() => {}) }),
  },
});

const server = bindingOf(definition);
const origin: Origin = { binding: "test", connection: {} };
const META = { [MetaKey.ProtocolVersion]: "2026-07-28", [MetaKey.ClientCapabilities]: {} };

function call(params: object, method = "tools/call"): RequestMessage {
  return { jsonrpc: "2.0", id: 1, method, params };
}

function collect(): { answers: Json[]; reply: ServerReply } {
  const answers: Json[] = [];
  return { answers, reply: { notify: () => {}, respond: (message) => void answers.push(message) } };
}

describe("serve", () => {
  test("answers at once if nothing has to be waited for", () => {
    const { answers, reply } = collect();
    server.serve(call({ _meta: META, name: "echo", arguments: { text: "now" } }), reply, origin);
    expect(answers).toMatchObject([{ id: 1, result: { content: [{ text: "now" }] } }]);
    server.serve(call({ _meta: META }, "tools/list"), reply, origin);
    expect(answers).toHaveLength(2);
  });

  test("lets the transport check a modern request once, before its revision is looked at", () => {
    const { answers, reply } = collect();
    const checkRequest = vi.fn();
    const request = call({ _meta: META, name: "sees" });
    server.serve(request, reply, { ...origin, checkRequest });
    expect(answers[0].result.content[0].text).toBe("2026-07-28");
    expect(checkRequest.mock.calls).toEqual([[request, "2026-07-28", undefined]]);
    const unknown = call({ _meta: { ...META, [MetaKey.ProtocolVersion]: "v999" }, name: "sees" });
    server.serve(unknown, reply, { ...origin, checkRequest });
    expect(checkRequest.mock.calls[1]).toEqual([unknown, "v999", undefined]);
    expect(answers[1].error).toMatchObject({ code: -32022, data: { requested: "v999" } });
    server.serve(request, reply, {
      ...origin,
      checkRequest() {
        throw new RpcError(ErrorCode.HeaderMismatch, "no");
      },
    });
    expect(answers[2].error).toMatchObject({ code: -32020 });
  });

  test("takes a request for modern if its transport says so, and says what it lacks", () => {
    const { answers, reply } = collect();
    server.serve(call({ name: "sees" }), reply, { ...origin, protocolVersion: "2026-07-28" });
    expect(answers[0].error).toMatchObject({ code: -32602 });
  });

  test("tells the reply that a request was refused before anything ran, if the reply wants to know", () => {
    const { answers, reply } = collect();
    const rejectRequest = vi.fn();
    server.serve(call({ _meta: { [MetaKey.ProtocolVersion]: "2026-07-28" } }), { ...reply, rejectRequest }, origin);
    expect(rejectRequest.mock.calls).toMatchObject([[{ code: -32602 }]]);
    server.serve(call({ _meta: META, name: "nothing" }), { ...reply, rejectRequest }, origin);
    expect(answers).toMatchObject([{ error: { code: -32602 } }]);
  });

  test("serves plain requests in the revision that the transport names, or in the newest with a handshake", () => {
    const { answers, reply } = collect();
    for (const protocolVersion of [undefined, "2024-11-05", "2025-06-18"] as const) {
      server.serve(call({ name: "sees" }), reply, { ...origin, protocolVersion });
    }
    expect(answers.map(({ result }) => result.content[0].text)).toStrictEqual([
      "2025-06-18",
      "2024-11-05",
      "2025-06-18",
    ]);
  });

  test("refuses plain requests in a revision that the server does not speak", () => {
    const { answers, reply } = collect();
    server.serve(call({ name: "sees" }), reply, { ...origin, protocolVersion: "2025-11-25" });
    expect(answers[0].error).toMatchObject({ code: -32022, data: { requested: "2025-11-25" } });
  });

  test("a cancelled request is not answered, however it ends", async () => {
    const { answers, reply } = collect();
    for (const name of ["later", "never"]) server.serve(call({ _meta: META, name }), reply, origin).cancel("enough");
    server.serve(call({ _meta: META, name: "echo", arguments: { text: "x" } }), reply, origin).cancel();
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    expect(answers).toHaveLength(1);
  });

  test("params may be missing altogether", () => {
    const { answers, reply } = collect();
    for (const method of ["tools/list", "ping", "tools/call", "initialize", "server/discover", "constructor"]) {
      server.serve({ jsonrpc: "2.0", id: method, method }, reply, origin);
    }
    expect(answers.map(({ id, error }) => [id, error?.code])).toStrictEqual([
      ["tools/list", undefined],
      ["ping", undefined],
      ["tools/call", -32602],
      ["initialize", -32602],
      ["server/discover", -32602],
      ["constructor", -32601],
    ]);
  });

  test("an initialize without a session to keep it is answered, and binds nobody", () => {
    const { answers, reply } = collect();
    const params = { protocolVersion: "2024-11-05", clientInfo: { name: "c", version: "1" }, capabilities: {} };
    server.serve(call(params, "initialize"), reply, origin);
    server.serve(call({ name: "sees" }), reply, origin);
    expect(answers[0].result.protocolVersion).toBe("2024-11-05");
    expect(answers[1].result.content[0].text).toBe("2025-06-18");
  });
});
