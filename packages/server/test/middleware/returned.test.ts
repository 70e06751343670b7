import { describe, expect, test } from "vitest";
import { createServer, tool, type ServerDiagnostic, type ServerMiddleware } from "../../src/index.ts";
import { LegacyClient, ModernClient } from "../wire-client.ts";

const pass: ServerMiddleware = (_call, next) => next();

/** JavaScript lets middleware return anything. */
const returning = (value: unknown): ServerMiddleware => (async () => value) as never;

async function forgetful(_call: unknown, next: () => Promise<object>): Promise<void> {
  await next();
}

/** A server with middleware around everything and around its one tool, and what it reports. */
function make(around: { server?: readonly unknown[]; tool?: readonly unknown[] }): {
  client: ModernClient;
  legacy: () => Promise<LegacyClient>;
  reported: ServerDiagnostic[];
} {
  const reported: ServerDiagnostic[] = [];
  const server = createServer({
    name: "m",
    version: "1",
    onDiagnostic: (event) => reported.push(event),
    middleware: (around.server ?? []) as ServerMiddleware[],
    tools: { greet: tool({ middleware: (around.tool ?? []) as ServerMiddleware[], run: () => "Hello" }) },
  });
  return { client: new ModernClient(server), legacy: () => LegacyClient.open(server), reported };
}

const usageError = (message: RegExp): object => ({
  level: "error",
  error: { name: "UsageError", code: "INVALID_ARGUMENT", message: expect.stringMatching(message) },
});

describe("middleware that forgets to return a result", () => {
  test("is named to the operator with its place and name, while the caller learns an id only", async () => {
    const { client, reported } = make({ server: [pass, forgetful, pass] });
    await expect(client.request("tools/list")).rejects.toMatchObject({
      code: -32603,
      message: expect.stringMatching(/^Internal error \(id [\da-f-]{36}\)$/),
    });
    expect(reported).toMatchObject([
      usageError(/^middleware\[1\] of the server \("forgetful"\) returned nothing, .*`return await next\(\)`/),
    ]);
  });

  test("is named in the legacy era, too, from the handshake on", async () => {
    const { legacy, reported } = make({ server: [forgetful] });
    await expect(legacy()).rejects.toMatchObject({ code: -32603, message: expect.stringContaining("Internal error") });
    expect(reported).toMatchObject([usageError(/^middleware\[0\] of the server \("forgetful"\) returned nothing/)]);
  });

  test("around a tool is named with the tool, and the model reads that the tool failed", async () => {
    const { client, reported } = make({ server: [pass], tool: [pass, forgetful] });
    const result = await client.callTool("greet");
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("internal error (id ") }],
    });
    expect(reported).toMatchObject([usageError(/^middleware\[1\] of tool "greet" \("forgetful"\) returned nothing/)]);
  });

  test("is found out before the middleware around it takes nothing for a result", async () => {
    const copy: ServerMiddleware = async (_call, next) => ({
      ...(await next()),
      _meta: { "com.example/copied": true },
    });
    const { client, reported } = make({ server: [copy, forgetful] });
    await expect(client.request("tools/list")).rejects.toMatchObject({ code: -32603 });
    expect(reported).toMatchObject([usageError(/^middleware\[1\] of the server/)]);
  });

  test("is named by its place alone if the function has no name", async () => {
    const { client, reported } = make({ server: [returning(undefined)] });
    await expect(client.request("tools/list")).rejects.toMatchObject({ code: -32603 });
    expect(reported).toMatchObject([usageError(/^middleware\[0\] of the server returned nothing/)]);
  });

  test.each([
    ["null", null, "null"],
    ["text", "done", "a string"],
    ["a list", [{ type: "text", text: "x" }], "an array"],
    ["a function", () => ({}), "a function"],
  ])("is refused alike if it returns %s", async (_what, value, shown) => {
    const { client, reported } = make({ server: [() => value] });
    await expect(client.request("tools/list")).rejects.toMatchObject({ code: -32603 });
    expect(reported).toMatchObject([usageError(new RegExp(`^middleware\\[0\\] of the server returned ${shown}, `))]);
  });
});

test("middleware may return a result at once, or a promise of any make", async () => {
  const content = [{ type: "text", text: "instead" }];
  for (const around of [
    () => ({ content }),
    async () => ({ content }),
    // oxlint-disable-next-line unicorn/no-thenable -- promises of other libraries are such objects.
    () => ({ then: (resolve: (result: object) => void) => resolve({ content }) }),
  ]) {
    const { client, reported } = make({ server: [pass, around] });
    expect(await client.callTool("greet")).toMatchObject({ content });
    expect(reported).toStrictEqual([]);
  }
});
