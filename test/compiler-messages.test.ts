import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../scripts/workspace.mjs";

const run = promisify(execFile);

const IMPORTS = `
import { connect, createMemoryChannels, textOf } from "@toolwire/client";
import { createServer, method, prompt, resource, tool, type ServerExtension, type ServerMiddleware } from "@toolwire/server";
import { z } from "zod";
const flags = {
  id: "com.example/flags",
  methods: { "com.example/flags/get": method({ params: z.object({ name: z.string() }), handle: () => ({}) }) },
} satisfies ServerExtension;
const server = createServer({
  name: "weather",
  version: "1.0.0",
  extensions: [flags],
  tools: {
    weather: tool({ input: z.object({ city: z.string() }), output: z.object({ degrees: z.number() }), run: () => ({ degrees: 1 }) }),
    now: tool({ run: () => "noon" }),
  },
  prompts: { plan: prompt({ arguments: { city: { required: true }, mood: {} }, get: () => "" }) },
});
const client = await connect<typeof server>("http://127.0.0.1/mcp");
`;

/** Mistakes, and what is said about them: all of it, as what is short is read. */
const MISTAKES: { readonly [mistake: string]: readonly [code: string, message: RegExp] } = {
  ...mistakesOfClients(),
  "data without `output`": [
    `tool({ run: () => ({ degrees: 1 }) });`,
    /^Type '{ readonly degrees: 1; }' is not assignable to type 'Awaitable<ToolContent<"to return data, declare `output`">>'\.$/,
  ],
  "a number without `output`": [
    `tool({ run: () => 3 });`,
    /^Type '(?:3|number)' is not assignable to type 'Awaitable<ToolContent<"to return data, declare `output`">>'\.$/,
  ],
  "a promise of data without `output`": [
    `tool({ input: z.object({ city: z.string() }), run: async ({ city }) => ({ city }) });`,
    /^Type 'Promise<.*>' is not assignable to type 'Awaitable<ToolContent<"to return data, declare `output`">>'\.\n.*\n.*$/,
  ],
  "`execute`, as other SDKs have it": [
    `tool({ input: z.object({ city: z.string() }), execute: ({ city }: { city: string }) => city });`,
    /^Type '.*' is not assignable to type '"`execute` is called `run` here"'\.$/,
  ],
  "`handler`, as other SDKs have it": [
    `tool({ input: z.object({ city: z.string() }), handler: async () => "" });`,
    /^Type '.*' is not assignable to type '"`handler` is called `run` here"'\.$/,
  ],
  "`callback`, as other SDKs have it": [
    `tool({ input: z.object({ city: z.string() }), callback: () => "" });`,
    /^Type '.*' is not assignable to type '"`callback` is called `run` here"'\.$/,
  ],
  "`inputSchema`, as the official SDK has it": [
    `tool({ inputSchema: z.object({ city: z.string() }), run: () => "" });`,
    /^Type '.*' is not assignable to type '"`inputSchema` is called `input` here"'\.$/,
  ],
  "`run` misspelt": [
    `tool({ input: z.object({ city: z.string() }), rnu: () => "" });`,
    /^Object literal may only specify known properties, and 'rnu' does not exist in type 'GivenTool<.*>'\.$/,
  ],
  "an object of schemas for `input`": [
    `tool({ input: { city: z.string() }, run: ({ city }) => \`It rains in \${city}\` });`,
    /^Property 'city' does not exist on type 'ObjectOfSchemas<"wrap `input`, as in z\.object\(\{ … \}\)">'\.$/,
  ],
  "an object of schemas for `output`": [
    `tool({ output: { degrees: z.number() }, run: () => ({ degrees: 1 }) });`,
    /^Type '.*' is not assignable to type 'Awaitable<ObjectOfSchemas<"wrap `output`, as in z\.object\(\{ … \}\)">>'\.$/,
  ],
  "an object of schemas for the arguments of a prompt": [
    `prompt({ arguments: { city: z.string().min(3) }, get: ({ city }) => \`Plan a trip to \${city}\` });`,
    /is not assignable to type '"wrap schemas, as in arguments: z\.object\(\{ … \}\)"'\.$/,
  ],
  "`argsSchema`, as the official SDK has it": [
    `prompt({ argsSchema: { city: z.string() }, get: () => "" });`,
    /is not assignable to type '"`argsSchema` is called `arguments` here, and takes a whole schema, as in z\.object\(\{ … \}\)"'\.$/,
  ],
  "`handler` of a resource, as other SDKs have it": [
    `resource({ uri: "docs://readme", handler: () => "" });`,
    /is not assignable to type '"`handler` is called `read` here"'\.$/,
  ],
  "text in place of what `output` promises": [
    `tool({ output: z.object({ degrees: z.number() }), run: (): string => "warm" });`,
    /^Type 'string' is not assignable to type 'Awaitable<ToolData<{ degrees: number; }>>'\.$/,
  ],
  "a member of the wrong type": [
    `tool({ output: z.object({ degrees: z.number() }), run: () => ({ degrees: "1" }) });`,
    /^Type 'string' is not assignable to type 'number'\.$/,
  ],
  "no `run`": [
    `tool({ description: "Nothing" });`,
    /^Argument of type .*\n  Property 'run' is missing in type '{ description: string; }' but required in type 'ToolOptions<undefined, undefined, .*>'\.$/,
  ],
  "a misspelt option": [
    `tool({ descripton: "Text", run: () => "" });`,
    /'descripton' does not exist in type .* Did you mean to write 'description'\?$/,
  ],
  "a tool that `tool()` has not made": [
    `createServer({ name: "a", version: "1", tools: { plain: { run: () => 5 } } });`,
    /^Property '"made by tool\(\)"' is missing in type '{ run: \(\) => number; }' but required in type 'ToolDefinition<unknown, unknown>'\.$/,
  ],
  "a prompt that `prompt()` has not made": [
    `createServer({ name: "a", version: "1", prompts: { plain: { get: () => "" } } });`,
    /^Property '"made by prompt\(\)"' is missing in type '{ get: \(\) => string; }' but required in type 'PromptDefinition<unknown>'\.$/,
  ],
  "middleware that forgets to return": [
    `export const log: ServerMiddleware = async (_call, next) => { await next(); };`,
    /Type 'Promise<void>' is not assignable to type 'MiddlewareReturn<"return what `next\(\)` resolves to">'\./,
  ],
  "middleware around a tool that forgets to return": [
    `tool({ middleware: [(_call, next) => { void next(); }], run: () => "" });`,
    /Type 'void' is not assignable to type 'MiddlewareReturn<"return what `next\(\)` resolves to">'\.$/,
  ],
  "a tool that the server does not have": [
    `client.callTool("wether", { city: "Oslo" });`,
    /^Argument of type '"wether"' is not assignable to parameter of type '"now" \| "weather"'\.$/,
  ],
  "an argument that is missing": [
    `client.callTool("weather", {});`,
    /^(?:Argument of type .*\n  )?Property 'city' is missing in type '{}' but required in type '{ city: string; }'\.$/,
  ],
  "a variable that a template does not have": [
    `resource({ template: "notes://{id}{?page}", read: (values) => values.pag });`,
    /^Property 'pag' does not exist on type '{ readonly id: string; readonly page: string \| undefined; }'\./,
  ],
  "an argument that `get` does not get": [
    `prompt({ arguments: { city: { required: true }, mood: {} }, get: (args) => args.cty });`,
    /^Property 'cty' does not exist on type '{ readonly city: string; readonly mood: string \| undefined; }'\./,
  ],
  "a prompt that the server does not have": [
    `client.getPrompt("plane", { city: "Oslo" });`,
    /^Argument of type '"plane"' is not assignable to parameter of type '"plan"'\.$/,
  ],
  "an argument that a prompt does not have": [
    `client.getPrompt("plan", { city: "Oslo", mod: "good" });`,
    /'mod' does not exist in type '{ readonly city: string; readonly mood\?: string; }'\. Did you mean to write 'mood'\?$/,
  ],
};

/** The compiler of this workspace, and an older one that many people have. Only their ways to write types differ. */
const COMPILERS = ["typescript", "typescript-5.9"] as const;

let directory: string;
let messages: ReadonlyMap<string, string>;

/** All mistakes at once, each in a file of its own, inside this folder so that its dependencies are found. */
beforeAll(async () => {
  directory = await mkdtemp(join(root, "test/.toolwire-"));
  const files = Object.values(MISTAKES).map(async ([code], index) => {
    await writeFile(join(directory, `mistake-${index}.ts`), `${IMPORTS}\n${code}\n`);
  });
  await Promise.all(files);
  const compilerOptions = { incremental: false };
  const settings = { extends: join(root, "tsconfig.test.json"), compilerOptions, include: ["*.ts"] };
  await writeFile(join(directory, "tsconfig.json"), JSON.stringify(settings));
  const names = Object.keys(MISTAKES);
  const found = COMPILERS.map(async (compiler) => {
    const complaints = await compile(compiler, directory);
    const byFile = complaints.matchAll(/mistake-(\d+)\.ts\(\d+,\d+\): error TS\d+: (.*(?:\n .*)*)/g);
    return [...byFile].map(([, index, message = ""]) => [`${compiler}: ${names[Number(index)]}`, message] as const);
  });
  messages = new Map((await Promise.all(found)).flat());
}, 120_000);

afterAll(() => rm(directory, { recursive: true, force: true }));

describe.each(COMPILERS)("%s", (compiler) => {
  test.each(Object.entries(MISTAKES))("%s: the compiler says what is wrong, in few words", (mistake, [, message]) => {
    expect(messages.get(`${compiler}: ${mistake}`)).toMatch(message);
  });
});

async function compile(compiler: string, project: string): Promise<string> {
  const program = join(root, "node_modules", compiler, "bin/tsc");
  return run("node", [program, "-p", project, "--pretty", "false"]).then(
    () => "",
    (error: { stdout: string }) => error.stdout,
  );
}

/** Mistakes in what `connect()` is given. */
function mistakesOfClients(): typeof MISTAKES {
  return {
    "a URL in an object": [
      `connect({ url: "http://127.0.0.1/mcp" });`,
      /^Type 'string' is not assignable to type 'Advice<"Pass the URL itself: connect\(url, options\)">'\.$/,
    ],
    "a URL object in an object": [
      `connect({ url: new URL("http://127.0.0.1/mcp") });`,
      /^Property '"~advice"' is missing in type 'URL' but required in type 'Advice<"Pass the URL itself: connect\(url, options\)">'\.$/,
    ],
    "an entry of `mcpServers` with a URL": [
      `connect({ type: "http", url: "http://127.0.0.1/mcp", headers: { authorization: "Bearer x" } });`,
      /^Type 'string' is not assignable to type 'Advice<"Pass the URL itself: connect\(url, options\)">'\.$/,
    ],
    "a transport in an object": [
      `connect({ transport: createMemoryChannels()[0] });`,
      /required in type 'Advice<"Pass the transport itself: connect\(transport, options\)">'\.$/,
    ],
    "a transport of the official SDK": [
      `connect({ start: async () => {}, send: async (_message: object) => {}, close: async () => {} });`,
      /'Advice<"Transports of the official SDK do not fit: pass the URL or the command">'\.$/,
    ],
    "options of HTTP for a command": [
      `connect({ command: "node" }, { http: { headers: {} } });`,
      /'headers' does not exist in type 'Advice<"only for a URL, with HttpTransportOptions">'\.$/,
    ],
    "options of HTTP for a typed client of a command": [
      `connect<typeof server>({ command: "node" }, { http: { headers: {} } });`,
      /'headers' does not exist in type 'Advice<"only for a URL, with HttpTransportOptions">'\.$/,
    ],
    "options of a WebSocket for a transport": [
      `connect(createMemoryChannels()[0], { websocket: { maxMessageBytes: 1 } });`,
      /'maxMessageBytes' does not exist in type 'Advice<"only for a URL, with WebSocketOptions">'\.$/,
    ],
    "a misspelt option of HTTP": [
      `connect("http://127.0.0.1/mcp", { http: { headres: {} } });`,
      /'headres' does not exist in type 'Advice<"only for a URL, with HttpTransportOptions">'\.$/,
    ],
    "a misspelt option of a client": [
      `connect({ command: "node" }, { timout: 1 });`,
      /'timout' does not exist in type .* Did you mean to write 'timeout'\?$/,
    ],
    "a misspelt option of a call": [
      `client.callTool("weather", { city: "Oslo" }, { timout: 1 });`,
      /'timout' does not exist in type 'PlainCallOptions'\. Did you mean to write 'timeout'\?$/,
    ],
    "a misspelt member of an extension": [
      `connect("http://127.0.0.1/mcp", { extensions: [{ id: "com.example/flags", method: {} }] });`,
      /'method' does not exist in type 'ClientExtension<.*>'\. Did you mean to write 'methods'\?$/,
    ],
    "a parameter that a method of an extension does not have": [
      `client.request("com.example/flags/get", { nme: "dark" });`,
      /'nme' does not exist in type '{ name: string; }'\. Did you mean to write 'name'\?$/,
    ],
    "an option of a client that is given the wrong value": [
      `connect("http://127.0.0.1/mcp", { timeout: "1 s" });`,
      /Type 'string' is not assignable to type 'number'\.$/,
    ],
    "middleware that returns nothing": [
      `connect("http://127.0.0.1/mcp", { middleware: [async (_call, next) => { await next(); }] });`,
      /'Promise<void>' is not assignable to type 'MiddlewareResult'\.\n[^]*Type 'void' is not assignable to type 'object'\.$/,
    ],
    "text of a promise of a result": [
      `textOf(client.callTool("now"));`,
      /is not assignable to parameter of type 'TextSource'\./,
    ],
  };
}
