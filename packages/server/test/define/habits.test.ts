import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createHttpHandler, serveHttp } from "../../src/http.ts";
import { createServer, reply, tool, type ServerDiagnostic } from "../../src/index.ts";
import { ModernClient, type Json } from "../wire-client.ts";

/** Calls a tool with this output that returns this value. Gives the result, and what the operator reads. */
async function call(output: z.ZodType | undefined, returned: unknown): Promise<{ result: Json; reported: string[] }> {
  const reported: string[] = [];
  const server = createServer({
    name: "h",
    version: "1",
    onDiagnostic: ({ error }: ServerDiagnostic) => reported.push(String(error)),
    tools: { count: tool({ ...(output && { output }), run: () => returned as never }) },
  });
  return { result: await new ModernClient(server).callTool("count"), reported };
}

const content = [{ type: "text", text: "3" }];

describe("a whole result from a tool with `output`, as the official SDK wants it,", () => {
  test.each([
    ["with content", { content, structuredContent: { n: 3 } }],
    ["without content", { structuredContent: { n: 3 } }],
  ])("is explained: %s", async (_what, returned) => {
    const { result, reported } = await call(z.object({ n: z.number() }), returned);
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("internal error (id ") }],
    });
    expect(reported).toStrictEqual([
      expect.stringMatching(
        /tool "count" returned a whole result with `structuredContent`.*return the data alone.*reply\(\{ content, structured \}\)/s,
      ),
    ]);
  });

  test("is also explained where the schema would let it pass, and leave nothing of it", async () => {
    const { result, reported } = await call(z.object({ n: z.number().optional() }), {
      content,
      structuredContent: { n: 3 },
    });
    expect(result).toMatchObject({ isError: true });
    expect(reported).toStrictEqual([expect.stringContaining("returned a whole result")]);
  });

  test("is explained where it says that the tool failed", async () => {
    const { result, reported } = await call(z.object({ n: z.number() }), { content, isError: true });
    expect(result).toMatchObject({ isError: true });
    expect(reported).toStrictEqual([
      expect.stringMatching(
        /does not fit its `output`.*- n: .*throw a ToolError, or return reply\(\{ isError: true, content \}\)/s,
      ),
    ]);
  });
});

test("data may have a member called `structuredContent` if `output` declares it", async () => {
  const returned = { structuredContent: "yes" };
  const { result, reported } = await call(z.object({ structuredContent: z.string() }), returned);
  expect(result).toMatchObject({ structuredContent: returned });
  expect(reported).toStrictEqual([]);
});

test("data that does not fit is not taken for a whole result", async () => {
  const { reported } = await call(z.object({ n: z.number(), content: z.string() }), { n: "3", content: "three" });
  expect(reported).toStrictEqual([expect.stringMatching(/does not fit its `output`\.\n- n: [^\n]*$/)]);
});

test("reply() explains that `structuredContent` is called `structured`", () => {
  expect(() => reply({ content: "3", structuredContent: { n: 3 } } as never)).toThrow(
    expect.objectContaining({
      name: "UsageError",
      message: "`structuredContent` is called `structured` in reply().",
    }),
  );
});

test.each(["done", undefined, ["done"]])("reply() takes parts by name, and not %j", (parts) => {
  expect(() => reply(parts as never)).toThrow(
    expect.objectContaining({
      name: "UsageError",
      message: expect.stringMatching(
        /^parts of reply\(\) must be an object such as \{ content, structured \}; got .*\.$/,
      ),
    }),
  );
});

test("a form whose schema is an object of schemas is refused with how to wrap it", async () => {
  const reported: string[] = [];
  const server = createServer({
    name: "h",
    version: "1",
    onDiagnostic: ({ error }: ServerDiagnostic) => reported.push(String(error)),
    tools: {
      ask: tool({
        async run(_args, { elicit }) {
          await elicit("who", { message: "Who?", schema: { email: z.string() } as never });
        },
      }),
    },
  });
  const client = new ModernClient(server, { capabilities: { elicitation: { form: {} } } });
  expect(await client.callTool("ask")).toMatchObject({ isError: true });
  expect(reported).toStrictEqual([expect.stringContaining('"email" is a schema, so this is an object of schemas')]);
});

test("a result whose content is no list is refused with what it should be", async () => {
  const { reported } = await call(undefined, { content: "3" });
  expect(reported).toStrictEqual([expect.stringContaining("a result whose `content` is an array")]);
});

test("a definition without a name is refused with the order of arguments", () => {
  const server = createServer({ name: "h", version: "1" });
  const definition = tool({ run: () => "" });
  expect(() => server.tools.add(definition as never, undefined as never)).toThrow(
    expect.objectContaining({
      name: "UsageError",
      code: "INVALID_DEFINITION",
      message: "The name of a tool comes first and is text, but was an object.",
    }),
  );
});

describe("options that other SDKs have are explained", () => {
  const server = createServer({ name: "h", version: "1" });
  test.each<[string, () => unknown, string]>([
    [
      "capabilities",
      () => createServer({ name: "h", version: "1", capabilities: { tools: {} } } as never),
      "capabilities follow from what is defined",
    ],
    [
      "sessionIdGenerator",
      () => createHttpHandler(server, { sessionIdGenerator: undefined, enableJsonResponse: true } as never),
      "answers are JSON unless there is more to send",
    ],
    [
      "sessionIdGenerator",
      () => createHttpHandler(server, { sessionIdGenerator: () => "1" } as never),
      "session ids are made for you; `legacy: { sessions: false }` keeps no sessions",
    ],
    ["hostname", () => serveHttp(server, { hostname: "::", port: 0 } as never), "`hostname` is called `host` here"],
  ])("%s", async (_what, make, message) => {
    await expect(async () => make()).rejects.toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT", message: expect.stringContaining(message) }),
    );
  });
});
