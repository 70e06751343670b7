import { connect, createMemoryChannels, textOf, UsageError, type TextSource } from "@toolwire/client";
import { createServer, prompt, resource, tool } from "@toolwire/server";
import { serveChannel } from "@toolwire/server/channel";
import { describe, expect, onTestFinished, test } from "vitest";

const TEXT = { type: "text", text: "first" } as const;
const IMAGE = { type: "image", data: "aGk=", mimeType: "image/png" } as const;
const LINK = { type: "resource_link", uri: "x:1", name: "one" } as const;
const EMBEDDED = { type: "resource", resource: { uri: "x:2", text: "of a resource" } } as const;
const BYTES = { type: "resource", resource: { uri: "x:3", blob: "aGk=" } } as const;

describe("the text", () => {
  test.each<[string, TextSource, string]>([
    ["a tool result: its texts, line by line", { content: [TEXT, { type: "text", text: "second" }] }, "first\nsecond"],
    ["a result of other things too: nothing of those", { content: [IMAGE, TEXT, LINK, BYTES] }, "first"],
    ["a result with resources: those that are text", { content: [TEXT, EMBEDDED] }, "first\nof a resource"],
    ["a tool that failed: what it says", { isError: true, content: [TEXT] }, "first"],
    ["a result without text: none", { content: [IMAGE] }, ""],
    ["an empty result: none", { content: [] }, ""],
    ["the content of a result", [TEXT, TEXT], "first\nfirst"],
    ["a block", TEXT, "first"],
    ["a block that is no text", IMAGE, ""],
    [
      "a prompt: that of its messages",
      {
        messages: [
          { role: "user", content: TEXT },
          { role: "assistant", content: EMBEDDED },
        ],
      },
      "first\nof a resource",
    ],
    ["a message of a prompt", { role: "user", content: TEXT }, "first"],
    ["a message of sampling with several blocks", { role: "user", content: [TEXT, IMAGE, TEXT] }, "first\nfirst"],
    [
      "a result of a tool in sampling",
      { role: "user", content: { type: "tool_result", toolUseId: "1", content: [TEXT] } },
      "first",
    ],
    [
      "a resource: its parts that are text",
      {
        contents: [
          { uri: "x:1", text: "one" },
          { uri: "x:2", blob: "aGk=" },
          { uri: "x:3", text: "three" },
        ],
      },
      "one\nthree",
    ],
    ["a part of a resource", { uri: "x:1", text: "one" }, "one"],
    ["a part of a resource that is no text", { uri: "x:1", blob: "aGk=" }, ""],
  ])("is taken from %s", (_, source, text) => {
    expect(textOf(source)).toBe(text);
  });

  test("is taken from the result that a server returns", async () => {
    const server = createServer({
      name: "words",
      version: "1.0.0",
      tools: { greet: tool({ run: () => ["Hello", "World"] }) },
      prompts: { plan: prompt({ get: () => "Plan a day." }) },
      resources: { readme: resource({ uri: "docs://readme", read: () => "Read me." }) },
    });
    const [near, far] = createMemoryChannels();
    serveChannel(server, far);
    const client = await connect<typeof server>(near);
    onTestFinished(() => client.close());
    expect(textOf(await client.callTool("greet"))).toBe("Hello\nWorld");
    expect(textOf(await client.getPrompt("plan"))).toBe("Plan a day.");
    expect(textOf(await client.readResource("docs://readme"))).toBe("Read me.");
  });

  test.each<[unknown, string]>([
    [undefined, "nothing"],
    [null, "nothing"],
    ["text", "a string"],
    [Promise.resolve({ content: [] }), "a promise: await it first"],
    [{ structuredContent: {} }, "an object without"],
    [{ tools: [] }, "an object without"],
  ])("cannot be taken from %j, and the error says which values have one", (source, got) => {
    const take = (): string => textOf(source as TextSource);
    expect(take).toThrow(UsageError);
    expect(take).toThrow(
      `textOf() takes a result of callTool, getPrompt or readResource, or a part of one; got ${got}`,
    );
  });

  test("is taken without overflowing the stack from very many blocks, and from blocks nested without end", () => {
    expect(textOf({ content: Array.from({ length: 300_000 }, () => TEXT) })).toHaveLength(300_000 * 6 - 1);
    let nested: object = TEXT;
    for (let depth = 0; depth < 100_000; depth++) nested = { content: [nested] };
    expect(textOf(nested as TextSource)).toBe("");
  });

  test("leaves out blocks that a server has made up", () => {
    const odd = [null, 5, {}, { type: "video" }, { type: "text" }, { type: "resource" }, TEXT] as unknown;
    expect(textOf({ content: odd as [] })).toBe("first");
  });
});
