import {
  connect,
  textOf,
  type Channel,
  type Client,
  type ClientOptions,
  type ConnectOptions,
  type ConnectTarget,
  type ClientMiddleware,
  type ClientNext,
  type OutgoingCall,
  type PromptsOf,
  type ToolsOf,
} from "@toolwire/client";
import type {
  CallToolParams,
  CallToolResult,
  ContentBlock,
  ListPromptsResult,
  ListToolsResult,
  ResourceContents,
  Tool,
  TypedServer,
} from "@toolwire/protocol";
import { describe, expectTypeOf, test } from "vitest";

type Weather = TypedServer<{
  readonly get_weather: {
    readonly input: { city: string; units?: "metric" | "imperial" | undefined };
    readonly output: { temperature: number };
  };
  readonly now: { readonly input: Record<string, never>; readonly output: { time: string } };
  readonly all_optional: { readonly input: { verbose?: boolean | undefined }; readonly output: undefined };
}>;

type Reviews = TypedServer<
  ToolsOf<Weather>,
  {
    readonly review: { readonly arguments: { readonly code: string; readonly style?: string } };
    readonly greet: { readonly arguments: { readonly [argument: string]: never } };
  }
>;

declare const target: ConnectTarget;

describe("connect<typeof server>()", () => {
  test("checks the names of tools", async () => {
    const client = await connect<Weather>(target);
    expectTypeOf<Parameters<typeof client.callTool>[0]>().toEqualTypeOf<"get_weather" | "now" | "all_optional">();
    // @ts-expect-error -- there is no such tool
    void client.callTool("get_whether", { city: "Oslo" });
  });

  test("checks arguments, and asks for them where there must be some", async () => {
    const client = await connect<Weather>(target);
    expectTypeOf(client.callTool<"get_weather">)
      .parameter(1)
      .toEqualTypeOf<{
        city: string;
        units?: "metric" | "imperial" | undefined;
      }>();
    void client.callTool("get_weather", { city: "Oslo", units: "metric" });
    // @ts-expect-error -- the city is missing
    void client.callTool("get_weather", {});
    // @ts-expect-error -- arguments are missing
    void client.callTool("get_weather");
    // @ts-expect-error -- no such unit
    void client.callTool("get_weather", { city: "Oslo", units: "kelvin" });
    void client.callTool("all_optional");
    void client.callTool("all_optional", { verbose: true }, { timeout: 1 });
    void client.callTool("all_optional", {}, { validate: false });
    // @ts-expect-error -- true, false or "always"
    void client.callTool("all_optional", {}, { validate: "never" });
    void client.callTool("now");
  });

  test("types structured results, once the call is known not to have failed", async () => {
    const client = await connect<Weather>(target);
    const result = await client.callTool("get_weather", { city: "Oslo" });
    expectTypeOf(result.structuredContent).toEqualTypeOf<{ temperature: number } | undefined>();
    expectTypeOf(result.content).toEqualTypeOf<readonly ContentBlock[]>();
    if (result.isError === true) expectTypeOf(result.structuredContent).toEqualTypeOf<undefined>();
    else expectTypeOf(result.structuredContent.temperature).toEqualTypeOf<number>();
    expectTypeOf(result).toExtend<CallToolResult>();
  });
});

describe("a tool that a typed server has added at run time", () => {
  test("is called through the untyped client, which a typed one is", async () => {
    const typed = await connect<Reviews>(target);
    const client: Client = typed;
    const result = await client.callTool("added", { any: "thing" });
    expectTypeOf(result.structuredContent).toEqualTypeOf<unknown>();
    // @ts-expect-error -- it is not in the type of the server
    void typed.callTool("added", { any: "thing" });
  });
});

describe("prompts of connect<typeof server>()", () => {
  test("are checked by name and arguments", async () => {
    const client = await connect<Reviews>(target);
    expectTypeOf(client.getPrompt).parameter(0).toEqualTypeOf<"review" | "greet">();
    void client.getPrompt("review", { code: "x" });
    void client.getPrompt("review", { code: "x", style: "kind" }, { timeout: 1 });
    void client.getPrompt("greet");
    void client.getPrompt("greet", {}, { timeout: 1 });
    // @ts-expect-error -- there is no such prompt
    void client.getPrompt("revue", { code: "x" });
    // @ts-expect-error -- arguments are missing
    void client.getPrompt("review");
    // @ts-expect-error -- the code is missing
    void client.getPrompt("review", { style: "kind" });
    // @ts-expect-error -- there is no such argument
    void client.getPrompt("review", { code: "x", stile: "kind" });
    // @ts-expect-error -- it takes none
    void client.getPrompt("greet", { name: "Ada" });
  });

  test("are any where the server says nothing of them", async () => {
    for (const client of [await connect(target), await connect<Weather>(target)]) {
      expectTypeOf(client.getPrompt).parameter(0).toEqualTypeOf<string>();
      void client.getPrompt("anything");
      void client.getPrompt("anything", { any: "text" }, { timeout: 1 });
      // @ts-expect-error -- arguments of prompts are text
      void client.getPrompt("anything", { any: 1 });
    }
  });

  test("leave a client that can be passed to a function that takes any client", async () => {
    const client = await connect<Reviews>(target);
    expectTypeOf(client).toEqualTypeOf<Client<ToolsOf<Reviews>, PromptsOf<Reviews>>>();
    expectTypeOf(client).toExtend<Client>();
  });
});

describe("connect()", () => {
  test("takes any name and arguments, and promises nothing of results", async () => {
    const client = await connect(target);
    expectTypeOf(client).toEqualTypeOf<Client>();
    const result = await client.callTool("anything", { any: ["thing"] });
    expectTypeOf(result.structuredContent).toEqualTypeOf<unknown>();
    void client.callTool("anything");
    // @ts-expect-error -- arguments are an object
    void client.callTool("anything", "text");
  });

  test("gives lists as pages and as iterators", async () => {
    const client = await connect(target);
    expectTypeOf((await client.listTools()).tools).toEqualTypeOf<readonly Tool[]>();
    for await (const tool of client.allTools()) expectTypeOf(tool).toEqualTypeOf<Tool>();
  });

  test("types requests by method, and lets others through", async () => {
    const client = await connect(target);
    const { contents } = await client.request("resources/read", { uri: "a://b" });
    expectTypeOf(contents).toEqualTypeOf<readonly ResourceContents[]>();
    expectTypeOf(await client.request("example/other", { a: 1 })).toEqualTypeOf<object>();
    expectTypeOf(await client.request("example/other")).toEqualTypeOf<object>();
    const method: string = "tools/call";
    expectTypeOf(await client.request(method, { whatever: true })).toEqualTypeOf<object>();
  });

  test("types requests whose parameters are optional or come from a variable", async () => {
    const client = await connect(target);
    expectTypeOf((await client.request("tools/list")).tools).toEqualTypeOf<readonly Tool[]>();
    expectTypeOf((await client.request("tools/list", { cursor: "2" }, { timeout: 1 })).tools).toEqualTypeOf<
      readonly Tool[]
    >();
    const params = { name: "sum", arguments: { a: 1 }, note: "more than a call needs" };
    expectTypeOf(await client.request("tools/call", params)).toEqualTypeOf<CallToolResult>();
    const method = Math.random() < 0.5 ? "tools/list" : "prompts/list";
    expectTypeOf(await client.request(method)).toEqualTypeOf<ListToolsResult | ListPromptsResult>();
  });

  test("refuses parameters that do not fit a method it knows, rather than leave it untyped", async () => {
    const client = await connect(target);
    expectTypeOf(client.request<"tools/call">)
      .parameter(1)
      .toEqualTypeOf<CallToolParams>();
    const anything: object = { name: "sum" };
    // @ts-expect-error -- may have no name
    void client.request("tools/call", anything);
    // @ts-expect-error -- the name is missing
    void client.request("tools/call", {});
    // @ts-expect-error -- parameters are missing
    void client.request("tools/call");
    // @ts-expect-error -- arguments are an object
    void client.request("tools/call", { name: "sum", arguments: 1 });
    // @ts-expect-error -- parameters are an object
    void client.request("example/other", 1);
  });
});

describe("options of a transport", () => {
  const command = { command: "node" };
  const http = { headers: { authorization: "Bearer my-token" } };
  const websocket = { maxMessageBytes: 1 };
  const channel = {} as Channel;

  test("are for URLs, and leave the type of the client alone", async () => {
    expectTypeOf(await connect("http://127.0.0.1", { http, websocket })).toEqualTypeOf<Client>();
    expectTypeOf(await connect(new URL("ws://127.0.0.1"), { http, websocket })).toEqualTypeOf<Client>();
    expectTypeOf(await connect<Weather>("ws://127.0.0.1", { websocket })).toEqualTypeOf<Client<ToolsOf<Weather>>>();
  });

  test("are refused for commands and transports", async () => {
    expectTypeOf(await connect(command, { timeout: 1 })).toEqualTypeOf<Client>();
    // @ts-expect-error -- a command has its options beside it
    void connect(command, { http });
    // @ts-expect-error -- a command has its options beside it
    void connect<Weather>(command, { websocket });
    // @ts-expect-error -- a transport was made with its options
    void connect(channel, { http });
    // @ts-expect-error -- a transport was made with its options
    void connect<Weather>(() => channel, { websocket });
    // @ts-expect-error -- it may be a command
    void connect(target, { http });
    if (typeof target === "string") void connect(target, { http });
  });

  test("can be absent for any target, as the other options can", async () => {
    const options: ClientOptions = { timeout: 1 };
    const maybe = {} as ConnectOptions | undefined;
    for (const any of [target, "http://127.0.0.1", new URL("http://127.0.0.1"), command, channel, () => channel]) {
      expectTypeOf(await connect(any)).toEqualTypeOf<Client>();
      expectTypeOf(await connect(any, undefined)).toEqualTypeOf<Client>();
      expectTypeOf(await connect<Weather>(any, options)).toEqualTypeOf<Client<ToolsOf<Weather>>>();
    }
    void connect("http://127.0.0.1", maybe);
    // @ts-expect-error -- it may have options of a transport
    void connect(command, maybe);
  });
});

test("the types of tools can be had by name", () => {
  expectTypeOf<ToolsOf<Weather>["now"]["output"]>().toEqualTypeOf<{ time: string }>();
});

describe("middleware", () => {
  test("returns a result, at once or later", () => {
    expectTypeOf((_call: OutgoingCall, next: ClientNext) => next()).toExtend<ClientMiddleware>();
    expectTypeOf(async (_call: OutgoingCall, next: ClientNext) => ({
      ...(await next()),
      more: 1,
    })).toExtend<ClientMiddleware>();
    expectTypeOf((): CallToolResult => ({ content: [] })).toExtend<ClientMiddleware>();
    expectTypeOf((): object => ({ content: [] })).toExtend<ClientMiddleware>();
    expectTypeOf((): ListToolsResult | Promise<object> => ({ tools: [] })).toExtend<ClientMiddleware>();
  });

  test("may not return nothing", () => {
    expectTypeOf(
      async (_call: OutgoingCall, next: ClientNext): Promise<void> => void (await next()),
    ).not.toExtend<ClientMiddleware>();
    expectTypeOf((_call: OutgoingCall, next: ClientNext): void => void next()).not.toExtend<ClientMiddleware>();
    // @ts-expect-error -- nothing is returned
    void connect(target, { middleware: [async (_, next) => void (await next())] });
  });
});

describe("textOf()", () => {
  test("takes results of all kinds, and their parts, and gives text", async () => {
    const client = await connect<Reviews>(target);
    const result = await client.callTool("get_weather", { city: "Oslo" });
    expectTypeOf(textOf(result)).toEqualTypeOf<string>();
    expectTypeOf(textOf).parameter(0).toExtend<object>();
    textOf(result.content);
    textOf(await client.getPrompt("greet"));
    textOf(await client.readResource("x:1"));
    // @ts-expect-error -- it has to be awaited
    textOf(client.callTool("now"));
    // @ts-expect-error -- lists have no text
    textOf(await client.listTools());
  });
});
