import { type } from "arktype";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createServer, prompt, resource, tool, type ServerDiagnostic, type Server } from "../../src/index.ts";
import { ModernClient } from "../wire-client.ts";

/** Definitions that JavaScript lets people write, and other SDKs have taught them. */
const loosely = createServer as (options?: unknown) => Server;

const withTool = (definition: unknown): Server => loosely({ name: "g", version: "1", tools: { greet: definition } });

const withPrompt = (options: unknown): Server =>
  loosely({ name: "g", version: "1", prompts: { p: prompt(options as never) } });

const withResource = (options: unknown): Server =>
  loosely({ name: "g", version: "1", resources: { r: resource(options as never) } });

const withArgument = (argument: unknown): Server =>
  loosely({ name: "g", version: "1", prompts: { p: prompt({ arguments: { a: argument }, get: () => "" } as never) } });

describe("a definition that cannot be meant is refused, and the message says what to do", () => {
  test.each<[string, () => unknown, RegExp]>([
    ["nothing", () => loosely(), /needs a `name`, as in createServer\(\{ name/],
    ["null", () => loosely(null), /needs a `name`/],
    ["a name alone", () => loosely("weather"), /needs a `name`, as in createServer\(\{ name/],
    ["no version", () => loosely({ name: "weather" }), /needs a `version`, as in createServer\(\{ name/],
    [
      "`inputSchema`, as the official SDK has it",
      () => withTool({ inputSchema: z.object({}), run: () => "" }),
      /tool "greet": `inputSchema` is called `input` here/,
    ],
    [
      "`outputSchema`, likewise",
      () => withTool(tool({ outputSchema: { type: "object" }, run: () => "" } as never)),
      /tool "greet": `outputSchema` is called `output` here/,
    ],
    ...["execute", "handler", "callback"].map((name): [string, () => unknown, RegExp] => [
      `\`${name}\`, as other SDKs have it`,
      () => withTool({ [name]: () => "" }),
      new RegExp(`tool "greet": \`${name}\` is called \`run\` here`),
    ]),
    [
      "another name inside the tool",
      () => withTool({ name: "hello", run: () => "" }),
      /tool "greet": the name of a tool is its key in `tools`/,
    ],
    [
      "`argsSchema`, as the official SDK has it",
      () => withPrompt({ argsSchema: { id: z.string() }, get: () => "" }),
      /prompt "p": `argsSchema` is called `arguments` here, and takes a whole schema/,
    ],
    [
      "`uriTemplate`, as the protocol has it",
      () => withResource({ uriTemplate: "a://{b}", read: () => "" }),
      /resource "r": `uriTemplate` is called `template` here/,
    ],
    [
      "the fields of a zod object without the object",
      () => withTool({ input: { name: z.string() }, run: () => "" }),
      /tool "greet": .*"name" is a schema.*z\.object/,
    ],
    [
      "the same for the output",
      () => withTool({ output: { name: z.string() }, run: () => "" }),
      /tool "greet": .*"name" is a schema.*z\.object/,
    ],
    ["a function instead of a tool", () => withTool(() => "Hello"), /tool "greet": .*`tool\(\{ … \}\)`: a function/],
    ["null instead of a tool", () => withTool(null), /tool "greet": .*`tool\(\{ … \}\)`/],
    [
      "a function instead of a prompt",
      () => loosely({ name: "g", version: "1", prompts: { p: () => "" } }),
      /prompt "p": .*`prompt\(\{ … \}\)`: a function/,
    ],
    [
      "a title of an argument that is no text",
      () => withArgument({ title: 5 }),
      /prompt "p": argument "a": `title` must be text; got 5/,
    ],
    [
      "a description of an argument that is no text",
      () => withArgument({ description: ["a"] }),
      /prompt "p": argument "a": `description` must be text; got an array/,
    ],
    [
      "text instead of an argument",
      () => withArgument("The city"),
      /prompt "p": argument "a": its definition must be an object; got "The city"/,
    ],
    [
      "null instead of an argument",
      () => withArgument(null),
      /prompt "p": argument "a": its definition must be an object; got nothing/,
    ],
    [
      "a schema instead of an argument of a prompt",
      () => withArgument(z.string().min(3)),
      /prompt "p": "a" is a schema, so this is an object of schemas\. Wrap it, for example as z\.object\(\{ … \}\)/,
    ],
    [
      "a schema of arktype, which is a function, instead of an argument of a prompt",
      () => withArgument(type("string")),
      /prompt "p": "a" is a schema, so this is an object of schemas\. Wrap it/,
    ],
    [
      "text instead of a resource",
      () => loosely({ name: "g", version: "1", resources: { r: "a://b" } }),
      /resource "r": .*`resource\(\{ … \}\)`: a string/,
    ],
  ])("%s", (_what, make, message) => {
    expect(make).toThrow(expect.objectContaining({ name: "UsageError", message: expect.stringMatching(message) }));
  });
});

test("a definition may repeat the name under which it is added", () => {
  const tools = [{ name: "greet", description: "Greets", run: () => "Hello" }];
  const server = loosely({ name: "g", version: "1" });
  for (const each of tools) server.tools.add(each.name, tool(each));
  server.prompts.add("p", prompt({ name: "p", get: () => "" } as never));
  server.resources.add("r", resource({ name: "r", uri: "a://r", read: () => "" } as never));
  server.resources.add("f", resource({ name: "f", template: "a://{f}", read: () => "" } as never));
  expect([...server.tools.names, ...server.prompts.names, ...server.resources.names]).toEqual(["greet", "p", "r", "f"]);
});

test("an undefined member is as good as absent in all parts of a definition", async () => {
  const nothing = undefined;
  const server = loosely({
    name: "u",
    version: "1",
    tools: { t: tool({ inputSchema: nothing, outputSchema: nothing, input: nothing, run: () => "" } as never) },
    prompts: {
      named: prompt({ arguments: { a: {}, b: nothing }, complete: { a: nothing, c: nothing }, get: () => "" } as never),
      described: prompt({ arguments: z.object({ a: z.string() }), complete: { a: nothing }, get: () => "" } as never),
    },
    resources: {
      r: resource({ template: "a://{x}", uri: nothing, complete: { x: nothing, y: nothing }, read: () => "" } as never),
    },
  });
  const client = new ModernClient(server);
  expect((await client.request("server/discover")).capabilities).not.toHaveProperty("completions");
  expect((await client.request("tools/list")).tools).toMatchObject([{ name: "t" }]);
  expect((await client.request("prompts/list")).prompts).toMatchObject([
    { arguments: [{ name: "a" }] },
    { arguments: [{ name: "a" }] },
  ]);
});

describe("a value that cannot be a result is not sent, and the author of the handler is told what can", () => {
  test.each([() => 1, Symbol("s"), 5, null, true, { data: 1 }, [5]])("%o", async (returned) => {
    const diagnostics: ServerDiagnostic[] = [];
    const server = createServer({
      name: "r",
      version: "1",
      onDiagnostic: (event) => diagnostics.push(event),
      tools: { t: tool({ run: () => returned as never }) },
      prompts: { p: prompt({ get: () => returned as never }) },
      resources: { r: resource({ uri: "a://r", read: () => returned as never }) },
    });
    const client = new ModernClient(server);
    const reported = (words: string): void =>
      expect(diagnostics.splice(0)).toMatchObject([
        { level: "error", error: { code: "INVALID_ARGUMENT", message: expect.stringContaining(words) } },
      ]);
    expect(await client.callTool("t")).toMatchObject({ isError: true });
    reported("A tool without `output` returns text");
    await expect(client.request("prompts/get", { name: "p" })).rejects.toMatchObject({ code: -32603 });
    reported("`get` returns the text of a message");
    await expect(client.request("resources/read", { uri: "a://r" })).rejects.toMatchObject({ code: -32603 });
    reported("`read` returns text, bytes");
  });
});
