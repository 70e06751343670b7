import { connect, type Change, type ClientOptions } from "@toolwire/client";
import { createMemoryChannels, type Revision } from "@toolwire/protocol";
import { createServer, prompt, resource, tool, ToolError } from "@toolwire/server";
import { serveChannel } from "@toolwire/server/channel";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";

function weatherServer() {
  return createServer({
    name: "weather",
    version: "1.2.3",
    instructions: "Ask for a city.",
    onDiagnostic: () => {},
    tools: {
      add: tool({
        description: "Adds",
        input: z.object({ a: z.number(), b: z.number() }),
        output: z.object({ sum: z.number() }),
        run: ({ a, b }) => ({ sum: a + b }),
      }),
      greet: tool({
        description: "Greets",
        async run(_, ctx) {
          const { name } = await ctx.elicit("who", { message: "Who?", schema: z.object({ name: z.string() }) });
          const { content } = await ctx.sample("say", {
            messages: [{ role: "user", content: { type: "text", text: `Greet ${name}` } }],
            maxTokens: 10,
          });
          const roots = await ctx.roots();
          return `${JSON.stringify(content)} ${roots.map(({ uri }) => uri).join()}`;
        },
      }),
      fail: tool({
        description: "Fails",
        run() {
          throw new ToolError("try another city");
        },
      }),
      slow: tool({
        description: "Reports progress",
        run(_, ctx) {
          ctx.progress(1, 2, "half way");
          ctx.progress(2, 2);
          return "done";
        },
      }),
    },
    resources: { readme: resource({ uri: "docs://readme", read: () => "Read me" }) },
    prompts: {
      review: prompt({
        description: "Reviews",
        arguments: { code: { required: true }, tone: {} },
        get: (args) => `Review ${args.code}${Object.hasOwn(args, "tone") ? ` ${args.tone}` : ""}`,
      }),
      explain: prompt({
        arguments: z.object({ code: z.string(), depth: z.string().optional() }),
        get: ({ code, depth = "some" }) => `Explain ${code} in ${depth} detail`,
      }),
    },
  });
}

type WeatherServer = ReturnType<typeof weatherServer>;
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function connected(options: ClientOptions = {}) {
  const server = weatherServer();
  const [near, far] = createMemoryChannels();
  const serving = serveChannel(server, far);
  const client = await connect<WeatherServer>(near, options);
  cleanups.push(
    () => client.close(),
    () => serving.close(),
  );
  return { server, client };
}

const HANDLERS: ClientOptions = {
  elicitation: () => ({ action: "accept", content: { name: "Ada" } }),
  sampling: () => ({ role: "assistant", content: { type: "text", text: "Hello, Ada" }, model: "m" }),
  roots: [{ uri: "file:///home/ada" }],
};

const revisions: Revision[] = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

describe.each(revisions)("our own server in revision %s", (revision) => {
  test("is known by name, and its tools can be listed and called", async () => {
    const { client } = await connected({ revision });
    expect(client).toMatchObject({
      revision,
      server: { name: "weather", version: "1.2.3" },
      instructions: "Ask for a city.",
    });
    const names: string[] = [];
    for await (const { name } of client.allTools()) names.push(name);
    expect(names).toEqual(["add", "greet", "fail", "slow"]);
    const result = await client.callTool("add", { a: 1, b: 2 });
    expect(result.isError).toBeFalsy();
    if (revision >= "2025-06-18") expect(result.structuredContent).toEqual({ sum: 3 });
    expect(result.content).toMatchObject([{ type: "text", text: '{"sum":3}' }]);
  });

  test("reports what a tool could not do to the model, and what the caller got wrong", async () => {
    const { client } = await connected({ revision });
    await expect(client.callTool("fail")).resolves.toMatchObject({
      isError: true,
      content: [{ text: "try another city" }],
    });
    await expect(client.callTool("add", { a: 1, b: "2" } as never)).resolves.toMatchObject({ isError: true });
    await expect(client.request("tools/call", { name: "nope" })).rejects.toMatchObject({ code: -32602 });
  });

  test("can be read from and prompted", async () => {
    const { client } = await connected({ revision });
    await expect(client.readResource("docs://readme")).resolves.toMatchObject({ contents: [{ text: "Read me" }] });
    await expect(client.getPrompt("review", { code: "x" })).resolves.toMatchObject({
      messages: [{ role: "user", content: { type: "text", text: "Review x" } }],
    });
  });

  test("takes what is undefined among the arguments of a prompt as left out, as it is over a wire", async () => {
    const { client } = await connected({ revision });
    await expect(client.getPrompt("explain", { code: "x", depth: undefined })).resolves.toMatchObject({
      messages: [{ content: { text: "Explain x in some detail" } }],
    });
    // Compilers let it pass unless told otherwise (`exactOptionalPropertyTypes`).
    const nothing = undefined as unknown as string;
    await expect(client.getPrompt("review", { code: "x", tone: nothing })).resolves.toMatchObject({
      messages: [{ content: { text: "Review x" } }],
    });
    await expect(client.getPrompt("review", { code: nothing })).rejects.toThrow("missing required `code`");
  });

  test("reports progress", async () => {
    const { client } = await connected({ revision });
    const heard: number[] = [];
    await client.callTool("slow", {}, { onProgress: ({ progress }) => heard.push(progress) });
    expect(heard).toEqual([1, 2]);
  });

  test("announces changes", async () => {
    const { server, client } = await connected({ revision });
    const heard: Change[] = [];
    let wake = (): void => {};
    const subscription = await client.subscribe({ tools: true, uris: ["docs://readme"] }, (change) => {
      heard.push(change);
      wake();
    });
    expect(subscription.accepted).toEqual({ tools: true, prompts: false, resources: false, uris: ["docs://readme"] });
    for (const change of [
      () => server.tools.add("late", tool({ description: "Late", run: () => "" })),
      () => server.resources.updated("docs://readme"),
    ]) {
      const heardOne = new Promise<void>((resolve) => {
        wake = resolve;
      });
      change();
      await heardOne;
    }
    expect(heard).toEqual([{ kind: "tools" }, { kind: "resource", uri: "docs://readme" }]);
  });
});

describe.each(revisions.filter((revision) => revision >= "2025-06-18"))("our own server in revision %s", (revision) => {
  test("can ask the user, the model and for roots in the middle of a call", async () => {
    const { client } = await connected({ revision, ...HANDLERS });
    const { content } = await client.callTool("greet");
    expect(JSON.stringify(content)).toContain("Hello, Ada");
    expect(JSON.stringify(content)).toContain("file:///home/ada");
  });
});

test("both sides agree on the newest revision by themselves", async () => {
  const { client } = await connected();
  expect(client.revision).toBe("2026-07-28");
});
