import { describe, expect, test } from "vitest";
import { UsageError } from "../../src/errors.ts";
import type { CallToolResult, ContentBlock, ElicitFormParams, Tool } from "../../src/model/index.ts";
import { restoreElicitResult } from "../../src/legacy/client-features.ts";
import { translateClientCapabilities } from "../../src/legacy/handshake.ts";
import { REVISIONS, type Revision } from "../../src/revisions/revision.ts";
import { translateNotification, translateRequest, translateResult, translatorFor } from "../../src/legacy/translate.ts";

const LEGACY = REVISIONS.slice(1);
const schema = { type: "object" } as const;

/** A content block as a client of some revision gets it, in JSON. */
function blockFor(revision: Revision, block: ContentBlock): unknown {
  const result = translateResult(revision, "tools/call", { content: [block] }) as CallToolResult;
  return json(result.content[0]);
}

/** A listed tool as a client of some revision gets it, in JSON. */
function toolFor(revision: Revision, tool: Tool): unknown {
  return json(translateResult(revision, "tools/list", { tools: [tool] }).tools[0]);
}

function json(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe("content blocks", () => {
  const audio: ContentBlock = {
    type: "audio",
    data: "A".repeat(16_000),
    mimeType: "audio/wav",
    annotations: { priority: 1 },
  };
  const link: ContentBlock = {
    type: "resource_link",
    uri: "file:///main.rs",
    name: "main.rs",
    description: "The entry point",
    icons: [{ src: "https://example.com/i.png" }],
    _meta: { "com.example/key": 1 },
  };

  test("audio is described in words before 2025-03-26", () => {
    expect(blockFor("2024-11-05", audio)).toEqual({
      type: "text",
      text: "[audio/wav audio, 12 KB: not supported by this protocol revision]",
      annotations: { priority: 1 },
    });
    expect(blockFor("2025-03-26", audio)).toEqual(audio);
  });

  test("a resource link becomes text before 2025-06-18, and loses its icons before 2025-11-25", () => {
    for (const revision of ["2024-11-05", "2025-03-26"] as const) {
      expect(blockFor(revision, link)).toEqual({
        type: "text",
        text: 'Resource "main.rs": file:///main.rs\nThe entry point',
      });
    }
    expect(blockFor("2025-06-18", link)).toEqual({ ...link, icons: undefined });
    expect(blockFor("2025-11-25", link)).toEqual(link);
  });

  test("blocks in prompts are translated like those in results", () => {
    const messages = [{ role: "user" as const, content: audio }];
    const result = translateResult("2024-11-05", "prompts/get", { messages });
    expect(result).toMatchObject({ messages: [{ role: "user", content: { type: "text" } }] });
  });

  test("inside an embedded resource, `_meta` is left out before 2025-06-18", () => {
    const block: ContentBlock = {
      type: "resource",
      resource: { uri: "a:b", text: "", _meta: { "com.example/key": 1 } },
    };
    expect(blockFor("2025-03-26", block)).toEqual({ type: "resource", resource: { uri: "a:b", text: "" } });
    expect(blockFor("2025-06-18", block)).toEqual(block);
  });
});

describe("structured content", () => {
  const list: CallToolResult = { content: [{ type: "text", text: "one, two" }], structuredContent: [1, 2] };

  test("structured content that is not an object is left to the text beside it before 2026-07-28", () => {
    for (const revision of LEGACY) {
      expect(translateResult(revision, "tools/call", list)).toEqual({ content: list.content });
    }
    expect(translateResult("2026-07-28", "tools/call", list)).toEqual({ ...list, resultType: "complete" });
  });

  test("becomes text where there is no text beside it", () => {
    const bare: CallToolResult = { content: [], structuredContent: { a: [1] } };
    expect(translateResult("2025-03-26", "tools/call", bare)).toEqual({
      content: [{ type: "text", text: '{"a":[1]}' }],
    });
    expect(translateResult("2025-06-18", "tools/call", bare)).toBe(bare);
  });

  test("becomes text beside blocks that are no text", () => {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
    const shown: CallToolResult = { content: [image], structuredContent: { a: 1 } };
    expect(translateResult("2025-03-26", "tools/call", shown)).toEqual({
      content: [image, { type: "text", text: '{"a":1}' }],
    });
    expect(shown.content).toEqual([image]);
  });
});

describe("listed tools", () => {
  test("keep only what the revision knows", () => {
    const tool: Tool = {
      name: "t",
      title: "T",
      description: "d",
      inputSchema: schema,
      outputSchema: schema,
      annotations: { readOnlyHint: true },
      icons: [{ src: "https://example.com/i.png" }],
      _meta: {},
    };
    const { icons, ...without } = tool;
    expect(icons).toBeDefined();
    expect(toolFor("2025-11-25", tool)).toEqual(tool);
    expect(toolFor("2025-06-18", tool)).toEqual(without);
    expect(toolFor("2025-03-26", tool)).toEqual({
      name: "t",
      description: "d",
      inputSchema: schema,
      annotations: { readOnlyHint: true, title: "T" },
    });
    expect(toolFor("2024-11-05", tool)).toEqual({ name: "t", description: "d", inputSchema: schema });
  });

  test("lose output schemas that describe no object before 2026-07-28", () => {
    const tool: Tool = { name: "t", inputSchema: schema, outputSchema: { type: "array" } };
    expect(toolFor("2025-11-25", tool)).toEqual({ name: "t", inputSchema: schema });
    expect(toolFor("2026-07-28", tool)).toEqual(tool);
  });

  test("have the schemas of their properties spelled out before 2026-07-28", () => {
    const inputSchema = { ...schema, properties: { any: true, none: false, text: { type: "string" } } };
    expect(toolFor("2025-11-25", { name: "t", inputSchema })).toEqual({
      name: "t",
      inputSchema: { ...schema, properties: { any: {}, none: { not: {} }, text: { type: "string" } } },
    });
  });
});

describe("all results", () => {
  test("say that they are complete in 2026-07-28, also those of unknown methods", () => {
    expect(translateResult("2026-07-28", "tools/call", { content: [] })).toEqual({
      content: [],
      resultType: "complete",
    });
    expect(translateResult("2026-07-28", "prompts/get", { messages: [], resultType: undefined })).toEqual({
      messages: [],
      resultType: "complete",
    });
    const unknown = translatorFor("2026-07-28").result("com.example/method");
    expect(unknown?.({ a: 1 })).toEqual({ a: 1, resultType: "complete" });
    const extended = { resultType: "com.example/kind" };
    expect(unknown?.(extended)).toBe(extended);
  });

  test("results that can be cached say how long in 2026-07-28: not at all, unless stated", () => {
    expect(translateResult("2026-07-28", "tools/list", { tools: [] })).toEqual({
      tools: [],
      resultType: "complete",
      ttlMs: 0,
      cacheScope: "private",
    });
    const unsaid = { tools: [], resultType: undefined, ttlMs: undefined, cacheScope: undefined };
    expect(translateResult("2026-07-28", "tools/list", unsaid)).toEqual({
      tools: [],
      resultType: "complete",
      ttlMs: 0,
      cacheScope: "private",
    });
    expect(translateResult("2026-07-28", "resources/read", { contents: [], ttlMs: 5, cacheScope: "public" })).toEqual({
      contents: [],
      resultType: "complete",
      ttlMs: 5,
      cacheScope: "public",
    });
  });

  test("say neither in older revisions", () => {
    for (const revision of LEGACY) {
      const full = { tools: [], resultType: "complete", ttlMs: 5, cacheScope: "public" } as const;
      expect(translateResult(revision, "tools/list", full)).toEqual({ tools: [] });
      expect(translatorFor(revision).result("com.example/method")?.({ a: 1, resultType: "complete" })).toEqual({
        a: 1,
      });
    }
  });

  test("results that ask for input cannot be sent in older revisions", () => {
    const questions = { resultType: "input_required", requestState: "s" } as const;
    for (const revision of LEGACY) {
      expect(() => translateResult(revision, "tools/call", questions)).toThrow(
        expect.objectContaining({ name: "UsageError", code: "UNSUPPORTED" }),
      );
    }
    expect(translateResult("2026-07-28", "resources/read", questions)).toBe(questions);
  });

  test("results of clients are not marked in 2026-07-28, where they travel inside a request", () => {
    expect(translatorFor("2026-07-28").result("elicitation/create")).toBeUndefined();
    expect(translatorFor("2026-07-28").result("roots/list")).toBeUndefined();
  });

  test("results of completion hold at most 100 values", () => {
    const values = Array.from({ length: 101 }, String);
    const result = translateResult("2026-07-28", "completion/complete", { completion: { values } });
    expect(result.completion).toEqual({ values: values.slice(0, 100), total: 101, hasMore: true });
  });
});

describe("nothing is copied", () => {
  test.each(LEGACY)("%s: where a plain result can be sent as it is", (revision) => {
    const result = { content: [{ type: "text" as const, text: "hi" }] };
    expect(translateResult(revision, "tools/call", result)).toBe(result);
    const list = { tools: [{ name: "t", inputSchema: { type: "object", properties: { a: {} } } as const }] };
    expect(translateResult(revision, "tools/list", list)).toBe(list);
    const listed = { prompts: [{ name: "p", arguments: [{ name: "a" }] }] };
    expect(translateResult(revision, "prompts/list", listed)).toBe(listed);
  });

  test("2026-07-28: where the result is complete", () => {
    const result = { resultType: "complete" as const, content: [{ type: "text" as const, text: "hi" }] };
    expect(translateResult("2026-07-28", "tools/call", result)).toBe(result);
  });

  test("where a revision has nothing to translate, as `undefined` says", () => {
    expect(translatorFor("2026-07-28").notification("notifications/progress")).toBeUndefined();
    expect(translatorFor("2026-07-28").request("tools/call")).toBeUndefined();
    expect(translatorFor("2025-11-25").request("__proto__")).toBeUndefined();
    expect(translatorFor("2025-11-25")).toBe(translatorFor("2025-11-25"));
  });

  test("save for what changes: other blocks stay the same objects", () => {
    const text: ContentBlock = { type: "text", text: "hi" };
    const content: ContentBlock[] = [text, { type: "audio", data: "", mimeType: "audio/wav" }];
    const result = translateResult("2024-11-05", "tools/call", { content }) as CallToolResult;
    expect(result.content[0]).toBe(text);
    expect(content[1]).toEqual({ type: "audio", data: "", mimeType: "audio/wav" });
  });
});

describe("forms", () => {
  const params: ElicitFormParams = {
    mode: "form",
    message: "Which?",
    requestedSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        name: { type: "string", default: "Ann" },
        sure: { type: "boolean", default: true },
        color: { type: "string", oneOf: [{ const: "#f00", title: "Red" }], default: "#f00" },
        sizes: {
          type: "array",
          title: "Sizes",
          items: {
            anyOf: [
              { const: "s", title: "Small" },
              { const: "l", title: "Large" },
            ],
          },
        },
        days: { type: "array", description: "Days off", items: { type: "string", enum: ["Mon", "Tue"] } },
      },
      required: ["name"],
    },
  };

  test("are simplified for 2025-06-18", () => {
    expect(json(translateRequest("2025-06-18", "elicitation/create", params))).toEqual({
      message: "Which?",
      requestedSchema: {
        type: "object",
        properties: {
          name: { type: "string" },
          sure: { type: "boolean", default: true },
          color: { type: "string", enum: ["#f00"], enumNames: ["Red"] },
          sizes: { type: "string", title: "Sizes", description: "Any of these (separated by commas: Small, Large)" },
          days: { type: "string", description: "Days off (separated by commas: Mon, Tue)" },
        },
        required: ["name"],
      },
    });
  });

  test("stay as they are from 2025-11-25 on", () => {
    expect(translateRequest("2025-11-25", "elicitation/create", params)).toBe(params);
    expect(translateRequest("2026-07-28", "elicitation/create", params)).toBe(params);
  });

  test("get their lists back from the text of a 2025-06-18 client", () => {
    const content = { name: "a, b", sure: true, sizes: "Large, s,", days: "Mon", other: "x, y" };
    expect(restoreElicitResult("2025-06-18", params, { action: "accept", content })).toEqual({
      action: "accept",
      content: { name: "a, b", sure: true, sizes: ["l", "s"], days: ["Mon"], other: "x, y" },
    });
    const newer = { action: "accept" as const, content: { sizes: ["s"] } };
    expect(restoreElicitResult("2025-11-25", params, newer)).toBe(newer);
    expect(translateResult("2025-06-18", "elicitation/create", newer)).toEqual({
      action: "accept",
      content: { sizes: "s" },
    });
  });

  test("questions that the client cannot show are refused, and the error says what to do", () => {
    expect(() => translateRequest("2025-03-26", "elicitation/create", params)).toThrow(UsageError);
    const page = { mode: "url", message: "Go", url: "https://example.com" } as const;
    expect(() => translateRequest("2025-06-18", "elicitation/create", page)).toThrow(/cannot send the user to a page/);
    expect(() => translateRequest("2025-11-25", "elicitation/create", page)).toThrow(/elicitationId/);
    const known = { ...page, elicitationId: "1" };
    expect(translateRequest("2025-11-25", "elicitation/create", known)).toBe(known);
    expect(translateRequest("2026-07-28", "elicitation/create", known)).toEqual(page);
  });
});

describe("sampling", () => {
  const use = { type: "tool_use", id: "1", name: "add", input: { a: 1 } } as const;

  test("has one block a message, and no tools, before 2025-11-25", () => {
    const params = {
      maxTokens: 5,
      messages: [{ role: "assistant" as const, content: [{ type: "text" as const, text: "hi" }, use] }],
      tools: [{ name: "add", inputSchema: schema }],
    };
    expect(translateRequest("2025-06-18", "sampling/createMessage", params)).toEqual({
      maxTokens: 5,
      messages: [
        { role: "assistant", content: { type: "text", text: "hi" } },
        { role: "assistant", content: { type: "text", text: JSON.stringify(use) } },
      ],
    });
    expect(translateRequest("2025-11-25", "sampling/createMessage", params)).toBe(params);
  });

  test("refuses to drop tools that the model must use", () => {
    const params = { maxTokens: 5, messages: [], toolChoice: { mode: "required" as const } };
    expect(() => translateRequest("2025-06-18", "sampling/createMessage", params)).toThrow(/use tools/);
  });

  test("answers with one block before 2025-11-25", () => {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
    const text = { type: "text", text: "see" } as const;
    const answer = { role: "assistant", model: "m", content: [text, image] } as const;
    expect(translateResult("2025-06-18", "sampling/createMessage", answer).content).toEqual({
      type: "text",
      text: "see\n[image/png image]",
    });
    expect(translateResult("2025-06-18", "sampling/createMessage", { ...answer, content: [image] }).content).toBe(
      image,
    );
  });
});

describe("the handshake", () => {
  const clientInfo = { name: "c", version: "1", title: "C", description: "d", websiteUrl: "https://example.com" };

  test("introduces with what the revision knows", () => {
    const offer = (revision: Revision): unknown =>
      translateRequest(revision, "initialize", { protocolVersion: revision, clientInfo, capabilities: {} }).clientInfo;
    expect(offer("2024-11-05")).toEqual({ name: "c", version: "1" });
    expect(offer("2025-06-18")).toEqual({ name: "c", version: "1", title: "C" });
    expect(offer("2025-11-25")).toBe(clientInfo);
  });

  test("promises no forms for a client that only opens pages", () => {
    const capabilities = (revision: Revision, elicitation: object): unknown =>
      translateRequest(revision, "initialize", { protocolVersion: revision, clientInfo, capabilities: { elicitation } })
        .capabilities;
    expect(capabilities("2025-06-18", { url: {} })).toEqual({});
    expect(capabilities("2025-06-18", { form: {}, url: {} })).toEqual({ elicitation: {} });
    expect(capabilities("2025-03-26", { form: {} })).toEqual({});
    expect(capabilities("2025-11-25", { url: {} })).toEqual({ elicitation: { url: {} } });
  });

  test("leaves out what no handshake of the time, and no modern request, can say", () => {
    const capabilities = { sampling: { tools: {}, context: {} }, roots: { listChanged: true } };
    expect(translateClientCapabilities("2025-06-18", capabilities)).toEqual({
      sampling: {},
      roots: { listChanged: true },
    });
    expect(translateClientCapabilities("2025-11-25", capabilities)).toBe(capabilities);
    expect(translateClientCapabilities("2026-07-28", capabilities)).toEqual({ ...capabilities, roots: {} });
    const result = { protocolVersion: "", serverInfo: clientInfo, capabilities: { completions: {}, tools: {} } };
    expect(translateResult("2024-11-05", "initialize", result).capabilities).toEqual({ tools: {} });
    expect(translateResult("2025-03-26", "initialize", result).capabilities).toBe(result.capabilities);
  });

  test("keeps extensions and capabilities that nobody described", () => {
    const capabilities = { extensions: { "com.example/x": {} }, custom: {} };
    const result = { protocolVersion: "2025-11-25", serverInfo: clientInfo, capabilities };
    expect(translateResult("2024-11-05", "initialize", result).capabilities).toBe(capabilities);
  });
});

describe("small things", () => {
  test("progress has no words before 2025-03-26", () => {
    const params = { progressToken: 1, progress: 1, message: "half" };
    expect(translateNotification("2024-11-05", "notifications/progress", params)).toEqual({
      progressToken: 1,
      progress: 1,
    });
    expect(translateNotification("2025-03-26", "notifications/progress", params)).toBe(params);
  });

  test("completion has no context before 2025-06-18", () => {
    const params = {
      ref: { type: "ref/prompt", name: "p", title: "P" },
      argument: { name: "a", value: "" },
      context: {},
    } as const;
    expect(translateRequest("2025-03-26", "completion/complete", params)).toEqual({
      ref: { type: "ref/prompt", name: "p" },
      argument: { name: "a", value: "" },
    });
    expect(translateRequest("2025-06-18", "completion/complete", params)).toBe(params);
  });
});
