import { connect, type ClientOptions, type ClientDiagnostic } from "@toolwire/client";
import { MalformedMessage, RpcError } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { eventually } from "../../../../test/eventually.ts";
import { isCall, legacyServer, modernServer, SILENCE, type Script } from "../scripted-server.ts";
import { withResolvers } from "../with-resolvers.ts";

async function connected(options: ClientOptions = {}, revision = "2025-11-25", script: Script = {}) {
  const server = legacyServer(script, revision);
  const client = await connect(server.channel, { onDiagnostic: () => {}, ...options });
  await server.arrival(isCall("notifications/initialized"));
  return { server, client };
}

const FORM = {
  message: "Name?",
  requestedSchema: { type: "object", properties: { name: { type: "string", default: "Ada" } }, required: ["name"] },
};

describe("a legacy server", () => {
  test("may ping at any time", async () => {
    const server = legacyServer({
      initialize: async (_, __, self) => {
        expect(await self.push("ping")).toMatchObject({ result: {} });
        return { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "x", version: "1" } };
      },
    });
    const client = await connect(server.channel);
    expect(await server.push("ping")).toMatchObject({ result: {} });
    await client.close();
  });

  test("gets forms filled in, with defaults", async () => {
    const { server, client } = await connected({ elicitation: () => ({ action: "accept" }) });
    expect(await server.push("elicitation/create", FORM)).toMatchObject({
      result: { action: "accept", content: { name: "Ada" } },
    });
    expect(await server.push("elicitation/create", { mode: "form", ...FORM })).toMatchObject({
      result: { action: "accept" },
    });
    await client.close();
  });

  test("is answered by the methods of an object, which keep what is theirs", async () => {
    class Desk {
      readonly clerk = { name: "Grace" };
      #asked = 0;
      form() {
        return { action: "accept", content: { name: `${this.clerk.name} ${++this.#asked}` } } as const;
      }
      url() {
        return { action: this.#asked > 0 ? "accept" : "cancel" } as const;
      }
    }
    class Model {
      readonly #name = "m";
      createMessage() {
        return { role: "assistant", content: { type: "text", text: "!" }, model: this.#name } as const;
      }
    }
    const { server, client } = await connected({ elicitation: new Desk(), sampling: new Model() });
    const params = { messages: [{ role: "user", content: { type: "text", text: "?" } }], maxTokens: 7 };
    const page = { mode: "url", message: "Here", url: "https://example.com/", elicitationId: "1" };
    expect(await server.push("elicitation/create", FORM)).toMatchObject({ result: { content: { name: "Grace 1" } } });
    expect(await server.push("elicitation/create", page)).toMatchObject({ result: { action: "accept" } });
    expect(await server.push("sampling/createMessage", params)).toMatchObject({ result: { model: "m" } });
    await client.close();
  });

  test.each([undefined, null, "no", new Error("no")])("is answered if a handler throws %s", async (thrown) => {
    const diagnostics: ClientDiagnostic[] = [];
    const { server, client } = await connected({
      elicitation: () => Promise.reject(thrown as Error),
      onDiagnostic: (event) => diagnostics.push(event),
    });
    const answer = await server.push("elicitation/create", FORM);
    expect(answer).toMatchObject({ error: { code: -32603, message: "Internal error" } });
    expect(diagnostics).toMatchObject([{ message: expect.stringContaining("elicitation/create failed") as string }]);
    await client.close();
  });

  test("gets sampled messages and roots", async () => {
    const { server, client } = await connected({
      sampling: ({ maxTokens }) => ({
        role: "assistant",
        content: { type: "text", text: String(maxTokens) },
        model: "m",
      }),
      roots: [{ uri: "file:///home", name: "Home" }],
    });
    const params = { messages: [{ role: "user", content: { type: "text", text: "?" } }], maxTokens: 7 };
    expect(await server.push("sampling/createMessage", params)).toMatchObject({ result: { content: { text: "7" } } });
    expect(await server.push("roots/list")).toMatchObject({
      result: { roots: [{ uri: "file:///home", name: "Home" }] },
    });
    await client.close();
  });

  test.each(["elicitation/create", "sampling/createMessage", "roots/list", "tools/list", "constructor"])(
    "is refused %s with -32601 if that was not declared",
    async (method) => {
      const { server, client } = await connected();
      expect(await server.push(method, {})).toMatchObject({ error: { code: -32601 } });
      await client.close();
    },
  );

  test("is refused a mode that was not declared, and broken links, with -32602", async () => {
    const { server, client } = await connected({ elicitation: { url: () => ({ action: "accept" }) } });
    expect(await server.push("elicitation/create", FORM)).toMatchObject({ error: { code: -32602 } });
    for (const url of ["javascript:alert(1)", "file:///etc/passwd", "nonsense", 1]) {
      const link = { mode: "url", message: "Go", url, elicitationId: "1" };
      expect(await server.push("elicitation/create", link)).toMatchObject({ error: { code: -32602 } });
    }
    await client.close();
  });

  test("is refused sampling with tools that were not declared, and broken conversations", async () => {
    const { server, client } = await connected({
      sampling: () => ({ role: "assistant", content: { type: "text", text: "" }, model: "m" }),
    });
    const text = { type: "text", text: "?" };
    const use = { type: "tool_use", id: "1", name: "t", input: {} };
    const result = { type: "tool_result", toolUseId: "1", content: [] };
    const ask = (messages: unknown, more = {}) =>
      server.push("sampling/createMessage", { maxTokens: 1, messages, ...more });
    expect(await ask([{ role: "user", content: text }], { tools: [] })).toMatchObject({ error: { code: -32602 } });
    expect(await ask("hello")).toMatchObject({ error: { code: -32602 } });
    expect(await ask([{ role: "assistant", content: [use] }])).toMatchObject({
      error: { code: -32602, message: expect.stringContaining("Tool result missing in request") as string },
    });
    expect(
      await ask([
        { role: "assistant", content: use },
        { role: "user", content: [result, text] },
      ]),
    ).toMatchObject({
      error: { code: -32602, message: expect.stringContaining("Tool results mixed with other content") as string },
    });
    expect(
      await ask([
        { role: "assistant", content: [use] },
        { role: "user", content: [result] },
      ]),
    ).toMatchObject({
      result: { model: "m" },
    });
    await client.close();
  });

  test("hears an RpcError as it is, and nothing of any other failure, which the operator hears", async () => {
    const diagnostics: ClientDiagnostic[] = [];
    const failures: Error[] = [new RpcError(-1, "User rejected sampling request"), new Error("secret detail")];
    const { server, client } = await connected({
      sampling: () => {
        throw failures.shift() ?? new Error("once too often");
      },
      onDiagnostic: (event) => diagnostics.push(event),
    });
    const params = { messages: [], maxTokens: 1 };
    expect(await server.push("sampling/createMessage", params)).toMatchObject({
      error: { code: -1, message: "User rejected sampling request" },
    });
    const answer = await server.push("sampling/createMessage", params);
    expect(answer).toMatchObject({ error: { code: -32603 } });
    expect(JSON.stringify(answer)).not.toContain("secret");
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]).toMatchObject({ level: "error", error: { message: "secret detail" } });
    await client.close();
  });

  test("is sent no answer that it could not understand, and the operator is told what is wrong with it", async () => {
    const diagnostics: ClientDiagnostic[] = [];
    const yes = () => ({ action: "yes" }) as never;
    const { server, client } = await connected({
      elicitation: { form: yes, url: yes },
      onDiagnostic: (event) => diagnostics.push(event),
    });
    const link = { mode: "url", message: "Go", url: "https://example.com/", elicitationId: "1" };
    for (const question of [FORM, link]) {
      expect(await server.push("elicitation/create", question)).toMatchObject({ error: { code: -32603 } });
      expect(diagnostics.pop()?.message).toContain('the action "accept", "decline" or "cancel"; got "yes"');
    }
    await client.close();
  });

  test("may cancel what it asked: the handler is told, and no response is sent", async () => {
    const asked = withResolvers<AbortSignal>();
    const { server, client } = await connected({
      elicitation: (_, { signal }) => {
        asked.resolve(signal);
        return new Promise((resolve) => signal.addEventListener("abort", () => resolve({ action: "cancel" })));
      },
    });
    server.send({ jsonrpc: "2.0", id: "q", method: "elicitation/create", params: FORM });
    const signal = await asked.promise;
    server.notify("notifications/cancelled", { requestId: "q", reason: "too slow" });
    expect(await server.push("ping")).toMatchObject({ result: {} });
    expect(signal.aborted).toBe(true);
    expect((signal.reason as Error).message).toBe("too slow");
    expect(server.received.some((message) => !("method" in message) && message.id === "q")).toBe(false);
    await client.close();
  });

  test("gets answers in the words of its old revision", async () => {
    const { server, client } = await connected(
      {
        sampling: () => ({
          role: "assistant",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
          model: "m",
        }),
        elicitation: () => ({ action: "accept" }),
      },
      "2025-03-26",
    );
    const params = { messages: [{ role: "user", content: { type: "text", text: "?" } }], maxTokens: 7 };
    expect(await server.push("sampling/createMessage", params)).toMatchObject({
      result: { content: { type: "text", text: "a\nb" } },
    });
    // This revision has no elicitation.
    expect(await server.push("elicitation/create", FORM)).toMatchObject({ error: { code: -32601 } });
    await client.close();
  });
});

test("a modern server that sends a request gets no response, as none may be sent", async () => {
  const { promise: heard, resolve: onDiagnostic } = withResolvers<ClientDiagnostic>();
  const server = modernServer({ "tools/call": { content: [] } });
  const client = await connect(server.channel, { onDiagnostic, roots: [] });
  void server.push("roots/list");
  expect(await heard).toMatchObject({
    level: "warning",
    message: expect.stringContaining(`The peer sent a request ("roots/list"), which only legacy servers may`) as string,
  });
  await client.callTool("t");
  expect(server.received.every((message) => "method" in message)).toBe(true);
  await client.close();
});

test("roots must be file URIs", async () => {
  const { server, client } = await connected({ roots: () => [{ uri: "https://example.com" }] });
  expect(await server.push("roots/list")).toMatchObject({ error: { code: -32603 } });
  await client.close();
});

test("a change of roots is announced to legacy servers alone", async () => {
  const { server, client } = await connected({ roots: [] });
  expect(server.requests("initialize")[0]?.params).toMatchObject({ capabilities: { roots: { listChanged: true } } });
  await client.rootsChanged();
  await server.arrival(isCall("notifications/roots/list_changed"));
  await client.close();
  const modern = modernServer();
  const other = await connect(modern.channel, { roots: [] });
  await other.rootsChanged();
  await other.discover();
  expect(modern.notifications("notifications/roots/list_changed")).toHaveLength(0);
  await other.close();
  const without = await connect(modernServer().channel);
  await expect(without.rootsChanged()).rejects.toMatchObject({ code: "UNSUPPORTED" });
  await without.close();
});

describe("pages that have to be visited first (2025-11-25)", () => {
  const required = new RpcError(-32042, "This request requires more information.", {
    data: { elicitations: [{ mode: "url", elicitationId: "e1", url: "https://example.com/a", message: "Sign in" }] },
  });

  test("are shown, and the request is sent again once the server says the user is done", async () => {
    let calls = 0;
    const { server, client } = await connected(
      {
        elicitation: {
          url: async ({ url, elicitationId }, { completed }) => {
            expect([url, elicitationId]).toEqual(["https://example.com/a", "e1"]);
            server.notify("notifications/elicitation/complete", { elicitationId: "somebody else's" });
            server.notify("notifications/elicitation/complete", { elicitationId: "e1" });
            await completed;
            return { action: "accept" };
          },
        },
      },
      "2025-11-25",
      {
        "tools/call": () => {
          if (++calls === 1) throw required;
          return { content: [] };
        },
      },
    );
    await expect(client.callTool("t")).resolves.toEqual({ content: [] });
    expect(calls).toBe(2);
    await client.close();
  });

  test("reject the call with the server's error if they are declined", async () => {
    const { client } = await connected({ elicitation: { url: () => ({ action: "decline" }) } }, "2025-11-25", {
      "tools/call": () => {
        throw required;
      },
    });
    await expect(client.callTool("t")).rejects.toMatchObject({ code: -32042 });
    await client.close();
  });

  test("reject the call with the server's error if nobody can show them", async () => {
    const { server, client } = await connected({}, "2025-11-25", {
      "tools/call": () => {
        throw required;
      },
    });
    await expect(client.callTool("t")).rejects.toMatchObject({ code: -32042 });
    expect(server.requests("tools/call")).toHaveLength(1);
    await client.close();
  });

  test("are bounded if they are asked for again and again", async () => {
    const { client } = await connected(
      { elicitation: { url: () => ({ action: "accept" }) }, maxRounds: 2 },
      "2025-11-25",
      {
        "tools/call": () => {
          throw required;
        },
      },
    );
    await expect(client.callTool("t")).rejects.toMatchObject({ code: "TOO_MANY_ROUNDS" });
    await client.close();
  });
});

test("messages that are no requests are not answered, in a batch or alone; requests are answered by their id", async () => {
  for (const revision of ["2025-03-26", "2025-11-25"]) {
    const { server, client } = await connected({ onDiagnostic: () => {} }, revision);
    const broken = new MalformedMessage(-32600, "A batch cannot hold batches.");
    const ping = { jsonrpc: "2.0", id: "ping", method: "ping" } as const;
    for (const batch of [[broken], [{ jsonrpc: "2.0", method: "notifications/example" }], [broken, ping]]) {
      server.send(batch as never);
    }
    await eventually(() =>
      expect(server.received.filter((message) => !("method" in message))).toMatchObject([{ id: "ping" }]),
    );
    await client.close();
  }
});

test("batches are taken from servers of 2025-03-26, and from no others", async () => {
  for (const revision of ["2025-03-26", "2025-06-18"]) {
    const diagnostics: ClientDiagnostic[] = [];
    const { server, client } = await connected({ onDiagnostic: (event) => diagnostics.push(event) }, revision, {
      "tools/call": () => SILENCE,
    });
    const calls = Promise.allSettled([client.callTool("a"), client.callTool("b")]);
    await server.arrival(
      (message) => "method" in message && (message.params as { name?: string } | undefined)?.name === "b",
    );
    const batch = server.requests("tools/call").map(({ id }) => ({ jsonrpc: "2.0", id, result: { content: [] } }));
    server.send(batch as never);
    const outcome =
      revision === "2025-03-26" ? { status: "fulfilled" } : { status: "rejected", reason: { code: "INVALID_MESSAGE" } };
    await expect(calls).resolves.toMatchObject([outcome, outcome]);
    expect(diagnostics.length > 0).toBe(revision !== "2025-03-26");
    await client.close();
  }
});
