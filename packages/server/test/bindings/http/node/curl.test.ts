import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveHttp, type HttpListener } from "../../../../src/http.ts";
import { createFixture } from "../fixture-server.ts";

const run = promisify(execFile);

/** Whether there is a curl on this machine, and which. */
async function findCurl(): Promise<string | undefined> {
  try {
    return (await run("curl", ["--version"])).stdout.split("\n")[0];
  } catch {
    return undefined;
  }
}

const curl = await findCurl();

describe.skipIf(curl === undefined)(
  `plain requests by ${curl ?? "curl, which is not installed here: these tests did not run"}`,
  () => {
    let http: HttpListener;
    beforeAll(async () => {
      http = await serveHttp(createFixture().server, { port: 0 });
    });
    afterAll(() => http.close());

    /** The output of curl: the body, and on the last line what `-w` asks for. */
    async function post(
      body: object,
      ...options: string[]
    ): Promise<{ status: number; type: string; message: Record<string, unknown> }> {
      const format = "\n%{http_code} %{content_type}";
      const args = ["-sS", "-X", "POST", http.url, "-d", JSON.stringify(body), "-w", format, ...options];
      const lines = (await run("curl", args)).stdout.split("\n");
      const [status, type = ""] = (lines.pop() ?? "").split(" ");
      return { status: Number(status), type, message: JSON.parse(lines.join("\n")) as Record<string, unknown> };
    }

    const json = ["-H", "Content-Type: application/json"];

    test("tools/call with nothing but a Content-Type", async () => {
      const params = { name: "echo", arguments: { text: "hello" } };
      const answer = await post({ jsonrpc: "2.0", id: "my-id", method: "tools/call", params }, ...json);
      expect(answer).toEqual({
        status: 200,
        type: "application/json",
        message: { jsonrpc: "2.0", id: "my-id", result: { content: [{ type: "text", text: "hello" }] } },
      });
    });

    test("tools/list with nothing but a Content-Type, and without an Accept header", async () => {
      const answer = await post({ jsonrpc: "2.0", id: 7, method: "tools/list" }, ...json, "-H", "Accept:");
      expect([answer.status, answer.type, answer.message["id"]]).toEqual([200, "application/json", 7]);
      expect(JSON.stringify(answer.message["result"])).toContain('"echo"');
    });

    test("an unknown method is a JSON-RPC error -32601 in the body", async () => {
      const answer = await post({ jsonrpc: "2.0", id: 1, method: "no/such/method" }, ...json);
      expect(answer).toMatchObject({ status: 200, message: { id: 1, error: { code: -32601 } } });
    });

    test("a tool that reports progress is answered as JSON all the same", async () => {
      const params = { name: "steps", _meta: { progressToken: 1 } };
      const answer = await post({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, ...json);
      expect(answer).toMatchObject({
        status: 200,
        type: "application/json",
        message: { result: { content: [{ text: "done" }] } },
      });
    });

    test("arguments that do not fit are a result that says why", async () => {
      const params = { name: "echo", arguments: { text: 5 } };
      const answer = await post({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, ...json);
      expect(answer).toMatchObject({ status: 200, message: { result: { isError: true } } });
    });

    test("a body of several hundred kilobytes, for which curl waits to be told to go on", async () => {
      const params = { name: "echo", arguments: { text: "x".repeat(100_000) } };
      const answer = await post(
        { jsonrpc: "2.0", id: 1, method: "tools/call", params },
        ...json,
        "-H",
        "Expect: 100-continue",
      );
      expect(answer.status).toBe(200);
    });

    test("without the Content-Type it gets a 415 that says what to do", async () => {
      const answer = await post({ jsonrpc: "2.0", id: 1, method: "tools/list" });
      expect(answer.status).toBe(415);
      expect(JSON.stringify(answer.message)).toContain("Content-Type: application/json");
    });

    test("another Host gets a 403", async () => {
      const answer = await post(
        { jsonrpc: "2.0", id: 1, method: "tools/list" },
        ...json,
        "-H",
        "Host: evil.example.com",
      );
      expect(answer.status).toBe(403);
    });
  },
);
