/** client/elicitation, client/sampling and client/roots of 2026-07-28: what servers ask, and how it is answered. */
import { connect, type ClientOptions, type FormHandler } from "@toolwire/client";
import { MetaKey, type CreateMessageResult, type ElicitFormParams } from "@toolwire/protocol";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { listen } from "../../transports/http/listen.ts";
import { modernServer } from "../../scripted-server.ts";

/** Calls a tool that asks one thing; the server, and what it was answered. */
async function ask(method: string, params: object | undefined, options: ClientOptions) {
  const server = modernServer({
    "tools/call": (given) =>
      "inputResponses" in given
        ? { content: [], structuredContent: (given["inputResponses"] as { it: object }).it }
        : { resultType: "input_required", inputRequests: { it: { method, ...(params && { params }) } } },
  });
  const client = await connect(server.channel, { onDiagnostic: () => {}, ...options });
  onTestFinished(() => client.close());
  const answer = client.callTool("t").then(({ structuredContent }) => structuredContent);
  return { server, answer };
}

describe("elicitation", () => {
  const form = (fields: object, required: string[] = []): Omit<ElicitFormParams, "mode"> => ({
    message: "Who?",
    requestedSchema: { type: "object", properties: fields, required } as ElicitFormParams["requestedSchema"],
  });
  const accept: FormHandler = () => ({ action: "accept", content: { name: "Ada" } });

  test.each<[ClientOptions["elicitation"], object]>([
    [accept, { form: {} }],
    [
      { form: accept, url: () => ({ action: "accept" }) },
      { form: {}, url: {} },
    ],
    [{ url: () => ({ action: "accept" }) }, { url: {} }],
  ])("MUST be declared on each request, with the modes that there are handlers for", async (elicitation, modes) => {
    const params = "form" in modes ? form({}) : { mode: "url", url: "https://a.example/", message: "Go there" };
    const { server, answer } = await ask("elicitation/create", params, { elicitation });
    await answer;
    expect(server.received).toHaveLength(3);
    for (const message of server.received) {
      expect(message).toMatchObject({ params: { _meta: { [MetaKey.ClientCapabilities]: { elicitation: modes } } } });
    }
  });

  test("MUST support a mode to be declared: without a handler it is not", async () => {
    const server = modernServer();
    const client = await connect(server.channel, { elicitation: {} });
    onTestFinished(() => client.close());
    expect(server.requests("server/discover")[0]?.params).toMatchObject({
      _meta: { [MetaKey.ClientCapabilities]: {} },
    });
    expect(JSON.stringify(server.received)).not.toContain("elicitation");
  });

  test("a request without a mode MUST be treated as a form", async () => {
    const { answer } = await ask("elicitation/create", form({ name: { type: "string" } }), { elicitation: accept });
    expect(await answer).toEqual({ action: "accept", content: { name: "Ada" } });
  });

  test("fields SHOULD begin with the defaults of the server, and users may change them", async () => {
    const fields = { name: { type: "string", default: "Bob" }, age: { type: "integer", default: 7 } };
    const { answer } = await ask("elicitation/create", form(fields), { elicitation: accept });
    expect(await answer).toEqual({ action: "accept", content: { name: "Ada", age: 7 } });
  });

  test("answers SHOULD be validated against the schema: what does not fit is not sent", async () => {
    const fields = { name: { type: "string", maxLength: 2 } };
    const { server, answer } = await ask("elicitation/create", form(fields), { elicitation: accept });
    await expect(answer).rejects.toThrow("name: must have at most 2 characters");
    expect(server.requests("tools/call")).toHaveLength(1);
  });

  test.each(["decline", "cancel"] as const)(
    "users can %s, and nothing of what they filled in is sent",
    async (action) => {
      const elicitation: FormHandler = () => ({ action, content: { name: "Ada" } });
      const { answer } = await ask("elicitation/create", form({ name: { type: "string" } }), { elicitation });
      expect(await answer).toEqual({ action });
    },
  );

  test("URLs MUST NOT be fetched by the client, and only consent is sent to the server", async () => {
    const { url, seen } = await listen((_, response) => response.end("page"));
    const handler = vi.fn(() => ({ action: "accept" as const, content: { secret: 1 } }));
    const params = { mode: "url", url, message: "Go there" };
    const { answer } = await ask("elicitation/create", params, { elicitation: { url: handler } });
    expect(await answer).toEqual({ action: "accept" });
    expect(handler).toHaveBeenCalledExactlyOnceWith(
      params,
      expect.objectContaining({ server: { name: "modern", version: "1.0.0" } }),
    );
    expect(seen).toEqual([]);
  });

  test.each(["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "no url", 7, undefined])(
    "URLs MUST be handled carefully: %j reaches nobody",
    async (url) => {
      const handler = vi.fn(() => ({ action: "accept" as const }));
      const { answer } = await ask(
        "elicitation/create",
        { mode: "url", url, message: "?" },
        { elicitation: { url: handler } },
      );
      await expect(answer).rejects.toMatchObject({ code: "INVALID_RESULT" });
      expect(handler).not.toHaveBeenCalled();
    },
  );
});

describe("sampling", () => {
  const text = { type: "text", text: "Hi" };
  const hello: CreateMessageResult = { role: "assistant", content: { type: "text", text: "Hello" }, model: "m" };
  const use = { type: "tool_use", id: "1", name: "t", input: {} };
  const toolResult = { type: "tool_result", toolUseId: "1", content: [text] };

  test.each<[ClientOptions["sampling"], object]>([
    [() => hello, {}],
    [
      { createMessage: () => hello, tools: true, context: true },
      { tools: {}, context: {} },
    ],
  ])("MUST be declared on each request, and tools only if they are served", async (sampling, declared) => {
    const params = { messages: [{ role: "user", content: text }], maxTokens: 1 };
    const { server, answer } = await ask("sampling/createMessage", params, { sampling });
    expect(await answer).toEqual(hello);
    for (const message of server.received) {
      const { _meta } = (message as unknown as { params: { _meta: Record<string, unknown> } }).params;
      expect(_meta[MetaKey.ClientCapabilities]).toEqual({ sampling: declared });
    }
  });

  test.each([{ tools: [] }, { toolChoice: { mode: "none" } }])(
    "%j MUST yield an error if sampling.tools was not declared",
    async (more) => {
      const sampling = vi.fn(() => hello);
      const params = { messages: [{ role: "user", content: text }], maxTokens: 1, ...more };
      const { answer } = await ask("sampling/createMessage", params, { sampling });
      await expect(answer).rejects.toThrow("has not declared `sampling.tools`");
      expect(sampling).not.toHaveBeenCalled();
    },
  );

  test.each<[string, unknown]>([
    ["no messages", undefined],
    ["an invalid message", ["Hi"]],
    ["no role", [{ content: text }]],
    ["another role", [{ role: "system", content: text }]],
    ["no content", [{ role: "user" }]],
    ["content that is no block", [{ role: "user", content: "Hi" }]],
    ["content with something that is no block", [{ role: "user", content: [text, null] }]],
    [
      "results among other content",
      [
        { role: "assistant", content: use },
        { role: "user", content: [toolResult, text] },
      ],
    ],
    [
      "a use without its result",
      [
        { role: "assistant", content: [use, { ...use, id: "2" }] },
        { role: "user", content: toolResult },
      ],
    ],
  ])("messages SHOULD be validated: %s reaches no model", async (_, messages) => {
    const createMessage = vi.fn(() => hello);
    const options = { sampling: { createMessage, tools: true } };
    const { answer } = await ask("sampling/createMessage", { messages, maxTokens: 1 }, options);
    await expect(answer).rejects.toMatchObject({ code: "INVALID_RESULT" });
    expect(createMessage).not.toHaveBeenCalled();
  });

  test("the request of the server reaches the handler unchanged: maxTokens, preferences, metadata of tools", async () => {
    const createMessage = vi.fn(() => hello);
    const params = {
      messages: [
        { role: "user", content: text },
        { role: "assistant", content: [{ ...use, _meta: { "com.example/a": 1 } }] },
        { role: "user", content: [{ ...toolResult, _meta: { "com.example/b": 2 } }] },
      ],
      maxTokens: 12,
      modelPreferences: { hints: [{ name: "sonnet" }, { name: "claude" }], costPriority: 0.3 },
    };
    const { answer } = await ask("sampling/createMessage", params, { sampling: { createMessage, tools: true } });
    await answer;
    expect(createMessage).toHaveBeenCalledExactlyOnceWith(params, expect.anything());
  });

  test("users can deny: then the request is not sent again", async () => {
    const sampling = (): never => {
      throw new Error("denied");
    };
    const params = { messages: [{ role: "user", content: text }], maxTokens: 1 };
    const { server, answer } = await ask("sampling/createMessage", params, { sampling });
    await expect(answer).rejects.toThrow("denied");
    expect(server.requests("tools/call")).toHaveLength(1);
  });
});

describe("roots", () => {
  test("MUST be declared on each request", async () => {
    const roots = [{ uri: "file:///home/me/project", name: "Project" }, { uri: "file:///C:/a..b/..c/.d" }];
    const { server, answer } = await ask("roots/list", undefined, { roots });
    expect(await answer).toEqual({ roots });
    for (const message of server.received) {
      expect(message).toMatchObject({ params: { _meta: { [MetaKey.ClientCapabilities]: { roots: {} } } } });
    }
  });

  test.each([
    "https://example.com/",
    "/home/me",
    "file:///home/me/../you",
    "file:///home/me/..",
    "file:///home/%2e%2E/you",
    "file:///home/me%2f..%2Fyou",
    "file:///C:\\work\\..\\other",
  ])("the URIs of roots MUST be validated, against path traversal too: %s is not exposed", async (uri) => {
    const { server, answer } = await ask("roots/list", undefined, { roots: [{ uri: "file:///fine" }, { uri }] });
    await expect(answer).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining(uri) as string,
    });
    expect(server.requests("tools/call")).toHaveLength(1);
  });
});
