import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer, type RunningServer } from "./built-server.ts";

const run = promisify(execFile);

/** An answer over HTTP, with as much of its body as the tutorial looks at. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly error?: { readonly code: number; readonly message: string };
    readonly result: {
      readonly tools: readonly { readonly name: string; readonly inputSchema: object; readonly outputSchema: object }[];
      readonly content: readonly { readonly text: string }[];
      readonly structuredContent: object;
      readonly isError: boolean;
    };
  };
}

/** The requests of an MCP tutorial, sent by curl, with the answers that the tutorial shows. */
describe("the tutorial, by curl", () => {
  let server: RunningServer;
  let session: string;

  beforeAll(async () => {
    server = await startServer(["http", "--port", "0"]);
    const { headers } = await post({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "curl", version: "1.0.0" } },
    });
    session = headers.get("Mcp-Session-Id") ?? "";
    await post({ jsonrpc: "2.0", method: "notifications/initialized" }, session);
  });

  afterAll(() => server.stop());

  /** Sends a message as the tutorial does, and takes the answer apart. */
  async function post(message: object, sessionId?: string): Promise<Answer> {
    const headers = ["Content-Type: application/json", "Accept: application/json, text/event-stream"];
    if (sessionId !== undefined) headers.push(`Mcp-Session-Id: ${sessionId}`);
    const { stdout } = await run("curl", [
      "--silent",
      "--show-error",
      "--include",
      "--max-time",
      "20",
      ...headers.flatMap((header) => ["--header", header]),
      "--data",
      JSON.stringify(message),
      server.urls[0] ?? "",
    ]);
    const [head = "", text = ""] = stdout.split("\r\n\r\n", 2);
    const [statusLine = "", ...lines] = head.split("\r\n");
    return {
      status: Number(statusLine.split(" ")[1]),
      headers: new Headers(lines.map((line) => line.split(/:\s*/, 2) as [string, string])),
      body: text === "" ? undefined : JSON.parse(text),
    };
  }

  function callTool(id: number, name: string, args: object): Promise<Answer> {
    return post({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } }, session);
  }

  test("initialize settles on the revision, and opens a session", async () => {
    const { status, headers, body } = await post({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "curl", version: "1.0.0" } },
    });
    expect(status).toBe(200);
    expect(headers.get("Mcp-Session-Id")).toMatch(/^[\x21-\x7E]{16,}$/);
    expect(body).toMatchObject({
      jsonrpc: "2.0",
      id: 1,
      result: {
        protocolVersion: "2025-06-18",
        capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, logging: {} },
        serverInfo: { name: "toolwire-example", version: "1.0.0" },
      },
    });
  });

  test("the notification that all is ready is accepted without an answer", async () => {
    const { status, body } = await post({ jsonrpc: "2.0", method: "notifications/initialized" }, session);
    expect(status).toBe(202);
    expect(body).toBeUndefined();
  });

  test("tools/list, with the session header, lists the tools with their schemas", async () => {
    const { status, body } = await post({ jsonrpc: "2.0", id: 2, method: "tools/list" }, session);
    expect(status).toBe(200);
    const tools = new Map(body.result.tools.map((tool) => [tool.name, tool]));
    expect([...tools.keys()]).toEqual(
      expect.arrayContaining([
        "echo",
        "get-sum",
        "get-env",
        "get-structured-content",
        "get-tiny-image",
        "get-annotated-message",
        "get-resource-links",
        "get-resource-reference",
        "gzip-file-as-resource",
        "toggle-simulated-logging",
        "toggle-subscriber-updates",
        "trigger-long-running-operation",
        "simulate-research-query",
        "get_weather",
        "get_weather_data",
      ]),
    );
    expect(tools.get("get-sum")?.inputSchema).toMatchObject({
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
    });
    expect(tools.get("get_weather")?.inputSchema).toMatchObject({
      properties: { city: { type: "string" }, units: { enum: ["metric", "imperial"] } },
      required: ["city"],
    });
    for (const name of ["get-structured-content", "get_weather_data"]) {
      expect(tools.get(name)?.outputSchema).toMatchObject({
        type: "object",
        properties: { temperature: { type: "number" }, conditions: { type: "string" }, humidity: { type: "number" } },
        required: ["temperature", "conditions", "humidity"],
      });
    }
  });

  test("get-sum adds", async () => {
    const { body } = await callTool(3, "get-sum", { a: 2, b: 3 });
    expect(body).toEqual({
      jsonrpc: "2.0",
      id: 3,
      result: { content: [{ type: "text", text: "The sum of 2 and 3 is 5." }] },
    });
  });

  test("get-structured-content gives data, and the same as text", async () => {
    const { body } = await callTool(4, "get-structured-content", { location: "New York" });
    const weather = { temperature: 33, conditions: "Cloudy", humidity: 82 };
    expect(body.result.structuredContent).toEqual(weather);
    expect(body.result.content).toHaveLength(1);
    expect(JSON.parse(body.result.content[0]?.text ?? "")).toEqual(weather);
  });

  test("a type mismatch is a result that tells the model which argument is wrong, and how", async () => {
    const { status, body } = await callTool(5, "get-sum", { a: "two", b: 3 });
    expect(status).toBe(200);
    expect(body.error).toBeUndefined();
    expect(body.result.isError).toBe(true);
    const text = body.result.content[0]?.text;
    expect(text).toContain('"get-sum"');
    expect(text).toMatch(/^- a: .*number.*string/m);
    expect(text).not.toMatch(/^- b/m);
  });

  test("an unknown tool is an error of the protocol", async () => {
    const { body } = await callTool(6, "get-product", { a: 2, b: 3 });
    expect(body).toMatchObject({
      jsonrpc: "2.0",
      id: 6,
      error: { code: -32602, message: "Unknown tool: get-product" },
    });
  });

  test("an unknown method is an error of the protocol", async () => {
    const { body } = await post({ jsonrpc: "2.0", id: 7, method: "tools/juggle", params: {} }, session);
    expect(body).toMatchObject({ jsonrpc: "2.0", id: 7, error: { code: -32601 } });
    expect(body.error?.message).toContain("tools/juggle");
  });

  test("a session that does not exist is refused", async () => {
    const { status } = await post({ jsonrpc: "2.0", id: 8, method: "tools/list" }, "no-such-session");
    expect(status).toBe(404);
  });
});
