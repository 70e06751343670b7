/* oxlint-disable vitest/expect-expect -- in these tests, the compiler asserts. */
import {
  connect,
  type CallToolResult,
  type Client,
  type ClientExtension,
  type ExtensionClient,
  type MethodsOf,
  type ToolCallResult,
} from "@toolwire/client";
import { createServer, method, tool, type ServerExtension } from "@toolwire/server";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";

declare module "@toolwire/client" {
  interface CallMembers {
    /** For the tests of this file only. */
    readonly copy?: boolean | { readonly to: string } | undefined;
    /** The same, and no outcome of its own. */
    readonly note?: string | undefined;
  }
  interface CallOutcomes<Result> {
    readonly copy: { readonly number: string; readonly of: Result };
  }
}

const flags = {
  id: "com.example/flags",
  methods: {
    "com.example/flags/get": method({
      params: z.object({ name: z.string(), deep: z.boolean().default(false) }),
      result: z.object({ isOn: z.boolean() }),
      handle: () => ({ isOn: true }),
    }),
    "com.example/flags/all": method({
      result: z.object({ names: z.array(z.string()) }),
      handle: () => ({ names: [] }),
    }),
  },
} satisfies ServerExtension;

const server = createServer({
  name: "x",
  version: "1",
  extensions: [flags],
  tools: {
    weather: tool({
      input: z.object({ city: z.string() }),
      output: z.object({ degrees: z.number() }),
      run: () => ({ degrees: 1 }),
    }),
    now: tool({ run: () => "noon" }),
  },
});

declare const client: Client;
const typed = await connect<typeof server>("http://127.0.0.1/mcp");

test("a typed client knows the parameters and results of methods that extensions of the server add", async () => {
  const { isOn } = await typed.request("com.example/flags/get", { name: "a" });
  expectTypeOf(isOn).toEqualTypeOf<boolean>();
  void typed.request("com.example/flags/get", { name: "a", deep: true }, { timeout: 1 });
  expectTypeOf(await typed.request("com.example/flags/all")).toEqualTypeOf<{ names: string[] }>();
  // @ts-expect-error -- the name is missing
  void typed.request("com.example/flags/get", {});
  // @ts-expect-error -- parameters are missing
  void typed.request("com.example/flags/get");
  // @ts-expect-error -- there is no such parameter
  void typed.request("com.example/flags/get", { name: "a", depe: true });
});

test("core methods stay typed, others take and return any object, and a typed client is an untyped one", async () => {
  expectTypeOf(await typed.request("tools/call", { name: "now" })).toEqualTypeOf<CallToolResult>();
  expectTypeOf(await typed.request("com.example/other", { any: 1 })).toEqualTypeOf<object>();
  expectTypeOf(await client.request("com.example/flags/get", { any: 1 })).toEqualTypeOf<object>();
  const untyped: Client = typed;
  expectTypeOf(untyped.request).toBeFunction();
  expectTypeOf<keyof MethodsOf<typeof server>>().toEqualTypeOf<"com.example/flags/get" | "com.example/flags/all">();
});

test("an option of an extension changes what callTool() returns, unless it is turned off", async () => {
  type Weather = ToolCallResult<{ degrees: number }>;
  const copied = await typed.callTool(
    "weather",
    { city: "Oslo" },
    { copy: true, onProgress: ({ progress }) => progress },
  );
  expectTypeOf(copied).toEqualTypeOf<{ readonly number: string; readonly of: Weather }>();
  expectTypeOf(await typed.callTool("weather", { city: "Oslo" }, { copy: { to: "me" } })).toEqualTypeOf<
    typeof copied
  >();
  expectTypeOf(await typed.callTool("weather", { city: "Oslo" }, { copy: false })).toEqualTypeOf<Weather>();
  expectTypeOf(await typed.callTool("weather", { city: "Oslo" }, { note: "a", timeout: 1 })).toEqualTypeOf<Weather>();
  expectTypeOf(await typed.callTool("now", {}, { copy: true })).toExtend<{ number: string }>();
  expectTypeOf(await client.callTool("any", undefined, { copy: true })).toExtend<{ number: string }>();
});

test("options are checked with and without those of extensions", () => {
  // @ts-expect-error -- no such option
  void typed.callTool("weather", { city: "Oslo" }, { timout: 1 });
  // @ts-expect-error -- true, false or an object
  void typed.callTool("weather", { city: "Oslo" }, { copy: 5 });
  // @ts-expect-error -- the arguments are wrong
  void typed.callTool("weather", { town: "Oslo" }, { copy: true });
  // @ts-expect-error -- there is no such tool
  void typed.callTool("wether", { city: "Oslo" }, { copy: true });
  // @ts-expect-error -- whether it is a copy must be known to the compiler
  void typed.callTool("weather", { city: "Oslo" }, { copy: Math.random() > 0.5 });
});

test("client.use() returns what the extension makes", () => {
  const extension = {
    id: "com.example/flags",
    api: (inner: ExtensionClient) => ({ get: (name: string) => inner.request("com.example/flags/get", { name }) }),
  } satisfies ClientExtension<object>;
  expectTypeOf(client.use(extension).get).toEqualTypeOf<(name: string) => Promise<object>>();
  const silent: ClientExtension<undefined> = { id: "com.example/silent" };
  expectTypeOf(client.use<undefined>).returns.toEqualTypeOf<undefined>();
  void connect("http://127.0.0.1/mcp", { extensions: [extension, silent] });
});

test("members of an extension are checked", () => {
  // @ts-expect-error -- a result type says for which methods it is
  void ({ id: "a/b", resultTypes: { ticket: { settle: async (result) => result } } } satisfies ClientExtension);
  // @ts-expect-error -- there is no such member
  void ({ id: "a/b", method: {} } satisfies ClientExtension);
});
