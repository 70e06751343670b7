/** Nothing that a peer sends may crash the server, leak anything, or disturb others. */
import { MetaKey, RpcError, type Message } from "@toolwire/protocol";
import { jsonSchema } from "@toolwire/json-schema";
import fc from "fast-check";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { bindingOf } from "../src/binding.ts";
import {
  createServer,
  prompt,
  resource,
  tool,
  type Context,
  type ServerDiagnostic,
  type Server,
} from "../src/index.ts";
import { serveHttp } from "../src/http.ts";
import { defer, LegacyClient, WireClient, ModernClient, type Json } from "./wire-client.ts";

const diagnostics: ServerDiagnostic[] = [];
const server = createServer({
  name: "hostile",
  version: "1",
  onDiagnostic: (event) => diagnostics.push(event),
  tools: {
    echo: tool({ input: z.looseObject({ text: z.string() }), run: ({ text }) => text }),
    merge: tool({
      input: jsonSchema<{ [key: string]: unknown }>({ type: "object" }),
      run: (args) => JSON.stringify(Object.assign({}, args)),
    }),
    throws: tool({
      input: z.object({ what: z.string() }),
      run({ what }) {
        const things: { [what: string]: unknown } = {
          string: "secret",
          number: 7,
          undefined,
          null: null,
          object: { secret: 1 },
          function: () => "secret",
        };
        throw things[what];
      },
    }),
    // oxlint-disable-next-line unicorn/no-thenable -- handlers may return what others have made.
    rejects: tool({ run: () => ({ then: (_ok: unknown, fail: (error: unknown) => void) => fail("secret") }) as never }),
    // oxlint-disable-next-line unicorn/no-thenable -- as above.
    thenable: tool({ run: () => ({ then: (ok: (value: string) => void) => ok("thenable") }) as never }),
    deep: tool({
      input: jsonSchema<{ a: unknown }>({
        type: "object",
        $defs: { n: { type: ["array", "string"], items: { $ref: "#/$defs/n" } } },
        properties: { a: { $ref: "#/$defs/n" } },
      }),
      run: () => "fine",
    }),
    ask: tool({
      run: async (_args, ctx) =>
        (await ctx.elicit("who", { message: "?", schema: z.object({ name: z.string() }) })).name,
    }),
  },
  resources: {
    a: resource({ uri: "a://b", read: () => "a" }),
    t: resource({ template: "t://{+x}{?q*}", read: ({ x }) => x }),
  },
  prompts: { p: prompt({ arguments: { x: {} }, get: ({ x }) => x ?? "" }) },
});

afterEach(() => {
  const names = ["polluted", "text", "a", "isError"].filter((name) => name in {});
  if (names.length > 0) throw new Error(`Object.prototype was given ${names.join(", ")}`);
});

describe("objects with special names", () => {
  const polluted = JSON.parse(
    '{"text":"x","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"y"}',
  ) as object;

  test("pollute nothing, as arguments", async () => {
    const client = new ModernClient(server);
    expect(await client.callTool("echo", polluted)).toMatchObject({ content: [{ text: "x" }] });
    expect(await client.callTool("merge", polluted)).not.toHaveProperty("isError");
  });

  test("pollute nothing, as metadata, answers, or parameters", async () => {
    const client = new ModernClient(server, { capabilities: { elicitation: {} } });
    const inputResponses = JSON.parse('{"__proto__":{"who":{"action":"accept","content":{"name":"x"}}}}') as object;
    expect(await client.callTool("ask", {}, { inputResponses })).toMatchObject({ resultType: "input_required" });
    const _meta = JSON.parse('{"__proto__":{"polluted":1}}') as object;
    await client.request("tools/list", { _meta, __proto__x: 1 });
    const bare = new WireClient(server, "2026-07-28");
    const inherited = JSON.parse(`{"_meta":{"__proto__":${JSON.stringify(client.meta())}}}`) as object;
    await expect(bare.request("server/discover", inherited)).rejects.toMatchObject({ code: -32602 });
  });

  test.each(["constructor", "__proto__", "prototype", "hasOwnProperty", "toString", "valueOf"])(
    "%s is no method, tool, prompt or resource",
    async (name) => {
      for (const client of [new ModernClient(server), await LegacyClient.open(server)]) {
        await expect(client.request(name)).rejects.toMatchObject({ code: -32601 });
        await expect(client.request("tools/call", { name })).rejects.toMatchObject({ code: -32602 });
        await expect(client.request("prompts/get", { name })).rejects.toMatchObject({ code: -32602 });
        await expect(client.request("resources/read", { uri: name })).rejects.toMatchObject({ data: { uri: name } });
      }
    },
  );
});

/** A server with one tool, which says something and is done. */
function talking(say: (ctx: Context) => void): Server {
  const talk = tool({
    run(_args, ctx) {
      say(ctx);
      return "done";
    },
  });
  return createServer({ name: "o", version: "1", tools: { talk } });
}

describe("handlers that fail oddly", () => {
  test.each(["string", "number", "undefined", "null", "object", "function"])(
    "throwing a %s is an internal error like any other",
    async (what) => {
      const result = await new ModernClient(server).callTool("throws", { what });
      expect(result.isError).toBe(true);
      expect(JSON.stringify(result)).not.toContain("secret");
      expect(diagnostics.at(-1)).toMatchObject({ level: "error", errorId: expect.any(String) });
    },
  );

  test("promises of any make are awaited", async () => {
    const client = new ModernClient(server);
    expect(await client.callTool("rejects")).toMatchObject({ isError: true });
    expect(await client.callTool("thenable")).toMatchObject({ content: [{ text: "thenable" }] });
  });

  test("a result that JSON cannot hold is told to the operator in full, and to the caller by its id", async () => {
    const events: ServerDiagnostic[] = [];
    const odd = createServer({
      name: "o",
      version: "1",
      onDiagnostic: (event) => events.push(event),
      tools: { odd: tool({ run: () => ({ type: "text", text: "x", n: 10n }) as never }) },
    });
    const { url, close } = await serveHttp(odd, { port: 0 });
    onTestFinished(close);
    const params = { name: "odd" };
    const post = (body: unknown): Promise<Response> =>
      fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    const [alone, batch] = await Promise.all([
      post({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
      post([{ jsonrpc: "2.0", id: 1, method: "tools/call", params }]),
    ]);
    const errors = [
      await new ModernClient(odd).callTool("odd").catch((error: unknown) => error),
      ((await alone.json()) as Json).error,
      ((await batch.json()) as Json)[0].error,
    ] as { message: string }[];
    const ids = errors.map(({ message }) => /^Internal error \(id (.*)\)$/.exec(message)?.[1]);
    expect(new Set(ids).size).toBe(3);
    for (const errorId of ids) {
      expect(events).toContainEqual(expect.objectContaining({ level: "error", errorId, error: expect.any(TypeError) }));
    }
  });

  test("progress and logs stay within the schema, whatever a handler passes", async () => {
    const odd = talking((ctx) => {
      ctx.progress(Number.POSITIVE_INFINITY);
      ctx.progress(1, Number.NaN);
      ctx.log("error", undefined);
    });
    const client = new ModernClient(odd, { logLevel: "debug" });
    await client.callTool("talk", {}, { _meta: { progressToken: "p" } });
    expect(client.notifications("notifications/progress").map(({ params }) => params)).toEqual([
      { progressToken: "p", progress: 1 },
    ]);
    expect(client.notifications("notifications/message")[0].params.data).toBeNull();
  });

  test("an error whose data JSON cannot hold is told without it", async () => {
    const run = (): never => {
      throw new RpcError(-32000, "Out of paper", { data: 1n });
    };
    const odd = createServer({ name: "o", version: "1", onDiagnostic: () => {}, tools: { odd: tool({ run }) } });
    const error = await new ModernClient(odd).callTool("odd").catch((refusal: unknown) => refusal);
    expect(error).toMatchObject({ code: -32000, message: "Out of paper", data: undefined });
  });

  test("log messages that JSON cannot hold are lost, and nothing else is", async () => {
    const odd = talking((ctx) => {
      ctx.log("error", 1n);
      ctx.log("error", "fine");
    });
    const client = new ModernClient(odd, { logLevel: "debug" });
    const sent: Json[] = [];
    const { promise, resolve } = defer();
    const reply = {
      notify: (message: object) => void sent.push(JSON.parse(JSON.stringify(message))),
      respond: (message: object) => {
        sent.push(message);
        resolve();
      },
    };
    const params = { _meta: client.meta(), name: "talk" };
    const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params } as const;
    bindingOf(odd).serve(request, reply, { binding: "test", connection: {} });
    await promise;
    expect(sent.map(({ params: told, result }) => told?.data ?? result.content[0].text)).toStrictEqual([
      "fine",
      "done",
    ]);
  });

  test("a diagnostics hook that fails does no harm", async () => {
    const fragile = createServer({
      name: "f",
      version: "1",
      onDiagnostic() {
        throw new Error("full disk");
      },
      tools: {
        boom: tool({
          run() {
            throw new Error("secret");
          },
        }),
      },
    });
    expect(await new ModernClient(fragile).callTool("boom")).toMatchObject({ isError: true });
  });
});

describe("excess", () => {
  test("deeply nested arguments are answered, not crashed on", async () => {
    const client = new ModernClient(server);
    const deep = "[".repeat(50_000) + "]".repeat(50_000);
    for (const name of ["deep", "ask", "merge", "echo"]) {
      const extra = name === "ask" ? ',"requestState":"AAAA"' : "";
      client.sendText(
        `{"jsonrpc":"2.0","id":"${name}","method":"tools/call","params":{"_meta":${JSON.stringify(client.meta())},"name":"${name}","arguments":{"a":${deep}}${extra}}}`,
      );
      await client.until(() => client.received.some((message) => "id" in message && message.id === name));
    }
    expect(await client.callTool("echo", { text: "alive" })).toMatchObject({ content: [{ text: "alive" }] });
  });

  test("a flood of notifications is ignored", async () => {
    const client = new ModernClient(server);
    for (let n = 0; n < 20_000; n += 1) client.notify(`notifications/flood/${n}`, { n });
    expect(await client.callTool("echo", { text: "alive" })).toMatchObject({ content: [{ text: "alive" }] });
    expect(client.received).toHaveLength(1);
  });

  test("a storm of cancellations leaves nothing behind", async () => {
    const client = new ModernClient(server);
    for (let n = 0; n < 2000; n += 1) {
      client.start("tools/call", { name: "echo", arguments: { text: "x" } }, n);
      client.notify("notifications/cancelled", { requestId: n });
    }
    expect(
      await client.start("tools/call", { name: "echo", arguments: { text: "alive" } }, "last").response,
    ).toMatchObject({ content: [{ text: "alive" }] });
  });

  test("long names are not repeated at length", async () => {
    const name = "x".repeat(1_000_000);
    const error = await new ModernClient(server).callTool(name).catch((reason: Error) => reason);
    expect((error as Error).message.length).toBeLessThan(200);
  });

  test("responses that nobody asked for are ignored", async () => {
    const client = await LegacyClient.open(server);
    for (const id of [1, 99, "x"]) client.send({ jsonrpc: "2.0", id, result: { roots: [] } });
    client.send({ jsonrpc: "2.0", id: 5, error: { code: 1, message: "x" } });
    expect(await client.request("ping")).toStrictEqual({});
  });
});

test("whatever the parameters are, there is exactly one answer, and it is a proper one", async () => {
  const methods = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
    "no/such",
  ];
  const names = fc.constantFrom(
    "name",
    "arguments",
    "uri",
    "cursor",
    "ref",
    "argument",
    "level",
    "protocolVersion",
    "capabilities",
    "clientInfo",
    "requestState",
    "inputResponses",
    "context",
    "__proto__",
  );
  const values = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom("echo", "ask", "p", "a://b", "t://x?q=1"),
    fc.constant({ type: "ref/prompt", name: "p" }),
  );
  const params = fc.option(fc.dictionary(names, values, { maxKeys: 5 }), { nil: undefined });
  const meta = fc.constantFrom(undefined, {}, new ModernClient(server).meta(), {
    [MetaKey.ProtocolVersion]: "2026-07-28",
  });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...methods), params, meta, async (method, given, _meta) => {
      const client = new WireClient(server, "2025-11-25");
      const sent =
        given === undefined && _meta === undefined ? undefined : { ...given, ...(_meta !== undefined && { _meta }) };
      const message: Message = { jsonrpc: "2.0", id: "the-one", method, ...(sent !== undefined && { params: sent }) };
      client.send(message);
      client.send({ jsonrpc: "2.0", id: "after", method: "ping" });
      await client.until(() =>
        ["the-one", "after"].every((id) => client.received.some((answer) => "id" in answer && answer.id === id)),
      );
      const answers = client.received.filter((answer: Json) => answer.id === "the-one") as Json[];
      expect(answers).toHaveLength(1);
      expect("result" in answers[0] || Number.isInteger(answers[0].error.code)).toBe(true);
    }),
    { numRuns: 400 },
  );
});
