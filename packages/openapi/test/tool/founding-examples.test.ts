/**
 * The examples of a gateway's documentation for `tools/call`, with tools of `httpTool` behind `serveHttp`: bytes go in through a
 * socket, and bytes come out.
 */
import { connect as connectSocket } from "node:net";
import { createServer } from "@toolwire/server";
import { type HttpListener, serveHttp } from "@toolwire/server/http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHttpCaller } from "../../src/caller/guarded-caller.ts";
import { bearer } from "../../src/credentials/kinds.ts";
import { httpTool } from "../../src/tool/http-tool.ts";
import { startApi, type TestApi } from "../test-api.ts";

const WEATHER =
  '{"current_condition":[{"temp_C":"12","temp_F":"54","weatherDesc":[{"value":"Partly cloudy"}],"humidity":"72","windspeedKmph":"15"}]}';
const CUSTOMER =
  '{"id":"cus_abc123","object":"customer","email":"jane@example.com","name":"Jane Smith","created":1710755200}';

const http = createHttpCaller({ network: { allow: ["localhost"] } });
let api: TestApi;
let listener: HttpListener;

beforeAll(async () => {
  api = await startApi((response, { method, url }) => {
    const isKnown = url === "/London?format=j1" || (method === "POST" && url === "/v1/customers");
    response.writeHead(isKnown ? 200 : 404, { "content-type": "application/json" });
    response.end(isKnown ? (method === "POST" ? CUSTOMER : WEATHER) : '{"message":"City not found"}');
  });
  const server = createServer({
    name: "examples",
    version: "1.0.0",
    tools: {
      get_weather: httpTool({
        description: "Current weather of a city",
        method: "GET",
        url: `${api.origin}/{city}?format=j1`,
        input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
        http,
      }),
      create_customer: httpTool({
        description: "Creates a customer",
        method: "POST",
        url: `${api.origin}/v1/customers`,
        input: {
          type: "object",
          properties: { email: { type: "string" }, name: { type: "string" } },
          required: ["email"],
        },
        body: { type: "application/x-www-form-urlencoded" },
        auth: bearer("sk_test_123456789"),
        http,
      }),
    },
  });
  listener = await serveHttp(server, { port: 0, path: "/mcp/my-weather-tools", legacy: { sessions: false } });
});

afterAll(async () => {
  await listener.close();
  await http.close();
  await api[Symbol.asyncDispose]();
});

/** Sends a body with the given headers through a socket. Returns the status line and the body, byte for byte. */
function post(body: string, headers: readonly string[]): Promise<{ status: string; type: string; body: string }> {
  const { hostname, port, pathname } = new URL(listener.url);
  return new Promise((resolve, reject) => {
    const socket = connectSocket(Number(port), hostname);
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk)).on("error", reject);
    socket.on("end", () => {
      const [head = "", ...rest] = Buffer.concat(chunks).toString("utf8").split("\r\n\r\n");
      const [status = ""] = head.split("\r\n");
      resolve({ status, type: /^content-type: (.*)$/im.exec(head)?.[1] ?? "", body: rest.join("\r\n\r\n") });
    });
    const lines = [
      `POST ${pathname} HTTP/1.1`,
      `Host: ${hostname}:${port}`,
      "Connection: close",
      ...headers,
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
  });
}

/** The request bodies of the documentation, with their line breaks and their crooked braces. */
function callBody(id: string, name: string, args: string): string {
  return `\n{\n  "jsonrpc": "2.0",\n  "id": ${id},\n  "method": "tools/call",\n  "params": {\n    "name": "${name}",\n    "arguments": {\n      ${args}\n    }\n}\n}\n`;
}

const CURL = ["content-type: application/json", "Mcp-Session-Id: your_session_id", "User-Agent: curl/8", "Accept: */*"];
const GO = ["Content-Type: application/json", "User-Agent: Go-http-client/1.1", "Accept-Encoding: gzip"];
const JAVA = [
  "Content-Type: application/json",
  "User-Agent: Java-http-client/21",
  "Connection: Upgrade, HTTP2-Settings",
];
const RUBY = [
  "Content-Type: application/json",
  "Accept-Encoding: gzip;q=1.0,deflate;q=0.6",
  "Accept: */*",
  "User-Agent: Ruby",
];

describe("the examples of the documentation", () => {
  it.each([
    ["curl, with a session id", CURL],
    ["Go, with a content type only", GO],
    ["Java", JAVA.slice(0, 2)],
    ["Ruby", RUBY],
  ])("a GET tool called by %s answers with the text of the API", async (_, headers) => {
    expect(await post(callBody("4", "get_weather", '"city": "London"'), headers)).toEqual({
      status: "HTTP/1.1 200 OK",
      type: "application/json",
      body: `{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":${JSON.stringify(WEATHER)}}]}}`,
    });
  });

  it("a POST tool creates a resource, with the credential of the server", async () => {
    const args = '"email": "jane@example.com",\n      "name": "Jane Smith"';
    const { body } = await post(callBody("5", "create_customer", args), GO);
    expect(body).toBe(
      `{"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":${JSON.stringify(CUSTOMER)}}]}}`,
    );
    const seen = api.seen.at(-1);
    expect(seen).toMatchObject({
      method: "POST",
      url: "/v1/customers",
      body: "email=jane%40example.com&name=Jane+Smith",
    });
    expect(seen?.headers.authorization).toBe("Bearer sk_test_123456789");
  });

  it("a failing API is a result with isError, and its message", async () => {
    expect(await post(callBody("4", "get_weather", '"city": "Nowhere"'), GO)).toEqual({
      status: "HTTP/1.1 200 OK",
      type: "application/json",
      body: '{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"Error: Upstream API returned 404 - City not found"}],"isError":true}}',
    });
  });

  it("an id that is a text stays a text", async () => {
    const { body } = await post(callBody('"4"', "get_weather", '"city": "London"'), GO);
    expect(body.startsWith('{"jsonrpc":"2.0","id":"4","result":')).toBe(true);
  });

  it("missing and wrong arguments are results that name each field, and nothing is sent to the API", async () => {
    const before = api.seen.length;
    for (const args of ['"town": "London"', '"city": 7']) {
      const { status, body } = await post(callBody("4", "get_weather", args), GO);
      expect(status).toBe("HTTP/1.1 200 OK");
      const { result } = JSON.parse(body) as { result: { isError: boolean; content: { text: string }[] } };
      expect(result.isError).toBe(true);
      expect(result.content).toHaveLength(1);
      expect(result.content[0]?.text).toContain("city");
    }
    expect(api.seen).toHaveLength(before);
  });
});
