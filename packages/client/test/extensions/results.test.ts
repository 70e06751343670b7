import { connect, createMemoryChannels, type ClientExtension, type SettledCall } from "@toolwire/client";
import { createServer, tool } from "@toolwire/server";
import { serveChannel } from "@toolwire/server/channel";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { legacyServer, modernServer, type Script } from "../scripted-server.ts";
import { withResolvers } from "../with-resolvers.ts";

const TICKET = { resultType: "ticket", number: 7 };
const DONE = { resultType: "complete", content: [{ type: "text", text: "done" }] };

interface Tickets extends ClientExtension<object> {
  /** What was settled. */
  readonly settled: { readonly result: object; readonly call: SettledCall }[];
}

/** An extension whose results are tickets. By default, a ticket is exchanged for its result by a request. */
function tickets(
  settle: (result: object, call: SettledCall) => Promise<object> = async (result, { client }) => {
    const { answer } = (await client.request("com.example/redeem", { ticket: (result as typeof TICKET).number })) as {
      readonly answer: object;
    };
    return answer;
  },
  more: Partial<ClientExtension> = {},
): Tickets {
  const settled: Tickets["settled"] = [];
  return {
    id: "com.example/tickets",
    settled,
    resultTypes: {
      ticket: {
        methods: ["tools/call"],
        settle(result, call) {
          settled.push({ result, call });
          return settle(result, call);
        },
      },
    },
    ...more,
  } as Tickets;
}

/** A server that answers calls of tools by tickets. */
function ticketServer(answer: object = DONE, script: Script = {}) {
  return modernServer({
    "tools/call": TICKET,
    "prompts/get": TICKET,
    "com.example/redeem": { resultType: "complete", answer },
    ...script,
  });
}

/** The members of {@link Tickets} that `connect` takes. */
const given = ({ settled: _settled, ...extension }: Tickets): ClientExtension[] => [extension];

describe("a result that an extension settles", () => {
  test("is the final one for the caller and for middleware, which see nothing of the interim one", async () => {
    const server = ticketServer();
    const seen: object[] = [];
    const extension = tickets();
    const client = await connect(server.channel, {
      extensions: given(extension),
      middleware: [
        async (call, next) => {
          const result = await next();
          if (call.method === "tools/call") seen.push(result);
          return result;
        },
      ],
    });
    expect(await client.callTool("slow", { a: 1 }, { timeout: 5_000 })).toEqual(DONE);
    expect(seen).toEqual([DONE]);
    expect(extension.settled).toMatchObject([
      {
        result: TICKET,
        call: { method: "tools/call", params: { name: "slow", arguments: { a: 1 } }, options: { timeout: 5_000 } },
      },
    ]);
    expect(server.requests("com.example/redeem")).toMatchObject([{ params: { ticket: 7 } }]);
    await client.close();
  });

  test("is checked like any other: its form, and its structured content", async () => {
    const outputSchema = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };
    const list = { tools: [{ name: "add", inputSchema: { type: "object" }, outputSchema }] };
    const answers = [
      [{ content: "text" }, "`content` must be an array"],
      [{ content: [], structuredContent: { sum: "three" } }, "add"],
      [TICKET, '`resultType` is "ticket", which this client does not know'],
    ] as const;
    for (const [answer, message] of answers) {
      const server = ticketServer(answer, { "tools/list": list });
      const client = await connect(server.channel, { extensions: given(tickets()) });
      await client.listTools();
      const failure = client.callTool("add");
      await expect(failure).rejects.toMatchObject({ name: "ProtocolViolation" });
      await expect(failure).rejects.toThrow(message);
      await client.close();
    }
  });

  test("rejects with the error of the extension", async () => {
    const server = ticketServer();
    const failing = tickets(() => Promise.reject(new RangeError("The ticket is void.")));
    const client = await connect(server.channel, { extensions: given(failing) });
    await expect(client.callTool("slow")).rejects.toThrow(new RangeError("The ticket is void."));
    await client.close();
  });

  test("may take longer than the timeout of a request, but not than the `maxTimeout` of the call", async () => {
    const waiting = withResolvers<AbortSignal>();
    const endless = tickets((_, { signal }) => {
      waiting.resolve(signal);
      return new Promise(() => {});
    });
    const server = ticketServer();
    const client = await connect(server.channel, { extensions: given(endless), timeout: 1, connectTimeout: 5_000 });
    const failure = client.callTool("slow", {}, { timeout: 1_000, maxTimeout: 1_000 });
    await expect(failure).rejects.toMatchObject({
      code: "TIMEOUT",
      message: expect.stringContaining("maxTimeout") as string,
    });
    expect((await waiting.promise).aborted).toBe(true);
    await client.close();
  });

  test("may take longer than all time limits that the call has not set itself", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const [waiting, redeemed] = [withResolvers<undefined>(), withResolvers<object>()];
    const slow = tickets(() => {
      waiting.resolve(undefined);
      return redeemed.promise;
    });
    const client = await connect(ticketServer().channel, { extensions: given(slow), maxTimeout: 1_000 });
    const call = client.callTool("slow", {}, { timeout: 500 });
    await waiting.promise;
    vi.advanceTimersByTime(24 * 3_600_000);
    redeemed.resolve(DONE);
    expect(await call).toEqual(DONE);
    await client.close();
  });

  test.each(["the caller gives up", "the client is closed"])("is not waited for any longer when %s", async (how) => {
    const waiting = withResolvers<AbortSignal>();
    const endless = tickets((_, { signal }) => {
      waiting.resolve(signal);
      return new Promise(() => {});
    });
    const client = await connect(ticketServer().channel, { extensions: given(endless) });
    const stop = new AbortController();
    const call = client.callTool("slow", {}, { signal: stop.signal });
    const signal = await waiting.promise;
    expect(signal.aborted).toBe(false);
    if (how === "the caller gives up") {
      stop.abort(new Error("enough"));
      await expect(call).rejects.toThrow("enough");
    } else {
      const failure = expect(call).rejects.toMatchObject({ code: "CLOSED" });
      await client.close();
      await failure;
    }
    expect(signal.aborted).toBe(true);
    await client.close();
  });
});

describe("an interim result stays invalid", () => {
  const INVALID = { name: "ProtocolViolation", message: expect.stringContaining('`resultType` is "ticket"') as string };

  test("as the answer to a method that the extension does not name", async () => {
    const extension = tickets();
    const client = await connect(ticketServer().channel, { extensions: given(extension) });
    await expect(client.getPrompt("slow")).rejects.toMatchObject(INVALID);
    expect(extension.settled).toEqual([]);
    await client.close();
  });

  test("without the extension, and where it is not declared in the revision", async () => {
    const undeclared = tickets(undefined, { settings: () => undefined });
    for (const extensions of [[], given(undeclared)]) {
      const client = await connect(ticketServer().channel, { extensions });
      await expect(client.callTool("slow")).rejects.toMatchObject(INVALID);
      await client.close();
    }
    expect(undeclared.settled).toEqual([]);
  });

  test("if the call declares the capabilities of another caller, who does not have the extension", async () => {
    const client = await connect(ticketServer().channel, { extensions: given(tickets()) });
    const declaring = (clientCapabilities: object): Promise<object> =>
      client.callTool("slow", {}, { _meta: { "io.modelcontextprotocol/clientCapabilities": clientCapabilities } });
    await expect(declaring({})).rejects.toMatchObject(INVALID);
    expect(await declaring({ extensions: { "com.example/tickets": {} } })).toEqual(DONE);
    await client.close();
  });

  test("but is passed on as it is to a caller who asks for that by `resultTypes`, as gateways do", async () => {
    const extension = tickets();
    const client = await connect(ticketServer().channel, { extensions: given(extension) });
    const passedOn: object = await client.callTool("slow", {}, { resultTypes: ["ticket"] });
    expect(passedOn).toEqual(TICKET);
    expect(extension.settled).toEqual([]);
    await client.close();
  });
});

describe("in the legacy era, whose results have no type", () => {
  const legacy = (answer: object) =>
    legacyServer({ "tools/call": answer, "com.example/redeem": { answer: { content: [] } } });
  const recognizing = tickets(undefined, {
    resultTypes: {
      ticket: {
        methods: ["tools/call"],
        recognizes: (result) => "ticket" in result,
        settle: async ({ ticket }, { client }) => {
          const { answer } = (await client.request("com.example/redeem", { ticket })) as { readonly answer: object };
          return answer;
        },
      },
    },
  });

  test("an interim result is recognised by what the extension looks for", async () => {
    const server = legacy({ ticket: 8 });
    const client = await connect(server.channel, { extensions: given(recognizing) });
    expect(await client.callTool("slow")).toEqual({ content: [] });
    expect(server.requests("com.example/redeem")).toMatchObject([{ params: { ticket: 8 } }]);
    await client.close();
  });

  test("a result is final if nothing is recognised, whatever its `resultType` is", async () => {
    const final = { content: [], resultType: "ticket" };
    for (const extension of [recognizing, tickets()]) {
      const client = await connect(legacy(final).channel, { extensions: given(extension) });
      expect(await client.callTool("slow")).toEqual(final);
      await client.close();
    }
  });
});

describe("questions of the server", () => {
  const question = (schema: object): object => ({
    method: "elicitation/create",
    params: { mode: "form", message: "Who?", requestedSchema: schema },
  });
  const NAME = { type: "object", properties: { name: { type: "string" } } };

  /** A client whose extension answers what the server asks by way of the ticket. */
  async function asking(
    asked: unknown,
    elicitation?: () => { readonly action: "accept"; readonly content: { name: string } },
  ) {
    const answers: unknown[] = [];
    const extension = tickets(async (_, { client, method, params, signal }) => {
      answers.push(await client.answer(asked, { request: { method, params }, signal }));
      return DONE;
    });
    const client = await connect(ticketServer().channel, { extensions: given(extension), elicitation });
    return { client, answers };
  }

  test("are answered by the handlers of the client, who learn what they are about", async () => {
    const contexts: unknown[] = [];
    const extension = tickets(async (_, { client, method, params, signal }) => ({
      content: [
        {
          type: "text",
          text: JSON.stringify(await client.answer(question(NAME), { request: { method, params }, signal })),
        },
      ],
    }));
    const client = await connect(ticketServer().channel, {
      extensions: given(extension),
      elicitation(form, context) {
        contexts.push([form.message, context.server?.name, context.request]);
        return { action: "accept", content: { name: "Ada" } };
      },
    });
    const { content } = await client.callTool("slow");
    expect(content).toMatchObject([{ text: '{"action":"accept","content":{"name":"Ada"}}' }]);
    expect(contexts).toEqual([
      ["Who?", "modern", { method: "tools/call", params: expect.objectContaining({ name: "slow" }) as object }],
    ]);
    await client.close();
  });

  test.each([
    ["of no form", 5, "it must have a `method`"],
    ["without a method", {}, "it must have a `method`"],
    ["with parameters that are no object", { method: "roots/list", params: [] }, "it must have an object as `params`"],
    ["of a kind that the client has not declared", { method: "roots/list" }, "it cannot be answered"],
    ["of an unknown kind", { method: "toString" }, "it cannot be answered"],
    ["with a form that cannot be shown", question({ type: "array" }), "it cannot be answered"],
  ])("%s are refused without asking anybody", async (_, asked, message) => {
    let isAsked = false;
    const { client, answers } = await asking(asked, () => {
      isAsked = true;
      return { action: "accept", content: { name: "Ada" } };
    });
    const failure = client.callTool("slow");
    await expect(failure).rejects.toMatchObject({ name: "ProtocolViolation", code: "INVALID_RESULT" });
    await expect(failure).rejects.toThrow(message);
    expect([isAsked, answers]).toEqual([false, []]);
    await client.close();
  });
});

describe("what an extension finds out about tools", () => {
  const outputSchema = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };
  const list = { resultType: "complete", tools: [{ name: "add", inputSchema: { type: "object" }, outputSchema }] };

  test("a tool is found by its name, and looked up once if it is not known", async () => {
    const server = modernServer({ "tools/list": list });
    const finder = { id: "com.example/finder", api: (client) => client } satisfies ClientExtension<object>;
    const client = await connect(server.channel, { extensions: [finder] });
    const { findTool } = client.use(finder);
    expect(await findTool("add")).toMatchObject({ name: "add" });
    expect([await findTool("none"), await findTool("none")]).toEqual([undefined, undefined]);
    expect(server.requests("tools/list")).toHaveLength(1);
    await client.close();
  });

  test("a result that came in another way is checked like that of a call", async () => {
    const server = modernServer({ "tools/list": list });
    const checker = { id: "com.example/checker", api: (client) => client } satisfies ClientExtension<object>;
    const client = await connect(server.channel, { extensions: [checker] });
    await client.listTools();
    const { checkResult } = client.use(checker);
    const good = { content: [], structuredContent: { sum: 3 } };
    expect(await checkResult("add", good)).toEqual(good);
    await expect(checkResult("add", { ...good, structuredContent: {} })).rejects.toMatchObject({
      name: "ProtocolViolation",
    });
    await expect(checkResult("add", { ...good, resultType: "ticket" })).rejects.toThrow('`resultType` is "ticket"');
    expect(await checkResult("add", { ...good, structuredContent: {} }, { validate: false })).toBeTruthy();
    await client.close();
  });
});

test("calls of a server that has other extensions are not changed by one of the client", async () => {
  const server = createServer({ name: "plain", version: "1.0.0", tools: { now: tool({ run: () => "noon" }) } });
  const [near, far] = createMemoryChannels();
  const serving = serveChannel(server, far);
  const extension = tickets();
  const client = await connect(near, { extensions: given(extension) });
  expect(await client.callTool("now")).toMatchObject({ content: [{ text: "noon" }] });
  expect(extension.settled).toEqual([]);
  await client.close();
  await serving.close();
});
