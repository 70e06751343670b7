import { execFile, execFileSync } from "node:child_process";
import { connect as connectSocket } from "node:net";
import { promisify } from "node:util";
import { connect } from "@toolwire/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGateway } from "../gateway-process.ts";
import { type SimulatedApi, simulateFoundingApis } from "../simulated-api.ts";

// Requests and responses as the page that this project began with has them, byte for byte: `docs/` calls it the founding
// document. The two APIs behind it are simulated on loopback.

/** Bodies of requests, exactly as the page prints them for curl. */
const CALL_WEATHER = `
  {
    "jsonrpc": "2.0",
    "id": 4,
    "method": "tools/call",
    "params": {
      "name": "get_weather",
      "arguments": {
        "city": "London"
      }
  }
  }
  `;
const CALL_CUSTOMER = `
  {
    "jsonrpc": "2.0",
    "id": 5,
    "method": "tools/call",
    "params": {
      "name": "create_customer",
      "arguments": {
        "email": "jane@example.com",
        "name": "Jane Smith"
      }
  }
  }
  `;

/** Responses as the page prints them. */
const WEATHER_RESPONSE = {
  jsonrpc: "2.0",
  id: 4,
  result: {
    content: [
      {
        type: "text",
        text: '{"current_condition":[{"temp_C":"12","temp_F":"54","weatherDesc":[{"value":"Partly cloudy"}],"humidity":"72","windspeedKmph":"15"}]}',
      },
    ],
  },
};
const CUSTOMER_RESPONSE = {
  jsonrpc: "2.0",
  id: 5,
  result: {
    content: [
      {
        type: "text",
        text: '{"id":"cus_abc123","object":"customer","email":"jane@example.com","name":"Jane Smith","created":1710755200}',
      },
    ],
  },
};
const NOT_FOUND_RESPONSE = {
  jsonrpc: "2.0",
  id: 4,
  result: { content: [{ type: "text", text: "Error: Upstream API returned 404 - City not found" }], isError: true },
};
const NO_METHOD_RESPONSE = { jsonrpc: "2.0", id: 4, error: { code: -32601, message: "Method not found: tools/call" } };

let api: SimulatedApi;
let gateway: GatewayProcess;

beforeAll(async () => {
  api = await simulateFoundingApis();
  gateway = await startGateway(
    `version: 1
analytics: { store: memory }
network: { allow: [127.0.0.1] }
servers:
  my-weather-tools:
    tools:
      get_weather:
        description: Current weather of a city
        request: { method: GET, url: "${api.url}/{city}?format=j1" }
        input: { type: object, properties: { city: { type: string } }, required: [city] }
      resting:
        description: Not active
        status: draft
        request: { method: GET, url: "${api.url}/resting" }
  stripe-payments:
    credentials: { stripe: { bearer: "\${env:STRIPE_KEY}" } }
    tools:
      create_customer:
        description: Creates a customer
        request: { method: POST, url: "${api.url}/v1/customers" }
        input:
          type: object
          properties: { email: { type: string }, name: { type: string } }
          required: [email]
  nothing: {}
`,
    { STRIPE_KEY: "sk_test_of_the_founding_document" },
  );
}, 30_000);

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
});

function hasCurl(): boolean {
  try {
    execFileSync("curl", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    console.warn("There is no curl here: its tests are skipped.");
    return false;
  }
}

async function post(slug: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.url}/mcp/${slug}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

describe.skipIf(!hasCurl())("curl, with the arguments of the page", () => {
  const curl = promisify(execFile);
  const send = async (slug: string, data: string): Promise<{ status: string; body: string }> => {
    const { stdout } = await curl("curl", [
      "--silent",
      "--write-out",
      "\n%{http_code} %{content_type}",
      "--request",
      "POST",
      "--url",
      `${gateway.url}/mcp/${slug}`,
      "--header",
      "content-type: application/json",
      "--header",
      "Mcp-Session-Id: your_session_id",
      "--data",
      data,
    ]);
    const [body = "", status = ""] = stdout.split("\n");
    return { status, body };
  };

  test("curl gets the weather of London in the bytes of the page", async () => {
    const { status, body } = await send("my-weather-tools", CALL_WEATHER);
    expect(status).toBe("200 application/json");
    expect(body).toBe(JSON.stringify(WEATHER_RESPONSE));
  });

  test("curl creates a customer and gets the bytes of the page", async () => {
    const before = api.requests.length;
    const { status, body } = await send("stripe-payments", CALL_CUSTOMER);
    expect(status).toBe("200 application/json");
    expect(body).toBe(JSON.stringify(CUSTOMER_RESPONSE));
    expect(api.requests.slice(before)).toEqual([
      expect.objectContaining({
        method: "POST",
        target: "/v1/customers",
        body: '{"email":"jane@example.com","name":"Jane Smith"}',
        headers: expect.objectContaining({
          authorization: "Bearer sk_test_of_the_founding_document",
          "content-type": "application/json",
        }) as unknown,
      }),
    ]);
  });

  test("curl reads the error of the API as the text of a result", async () => {
    const { status, body } = await send("my-weather-tools", CALL_WEATHER.replace("London", "Atlantis"));
    expect(status).toBe("200 application/json");
    expect(body).toBe(JSON.stringify(NOT_FOUND_RESPONSE));
  });

  test("curl gets -32601 with status 200 from a server without tools", async () => {
    const { status, body } = await send("nothing", CALL_WEATHER);
    expect(status).toBe("200 application/json");
    expect(body).toBe(JSON.stringify(NO_METHOD_RESPONSE));
  });
});

describe("a bare socket that sends what Go's example sends", () => {
  /** Go sends Host, User-Agent, Content-Length, Content-Type and Accept-Encoding. Here, only what HTTP requires and the example sets. */
  function send(slug: string, body: string): Promise<string> {
    const { host, hostname, port } = new URL(gateway.url);
    return new Promise((resolve, reject) => {
      const socket = connectSocket(Number(port), hostname);
      let received = "";
      socket.setEncoding("utf8");
      socket.on("data", (chunk: string) => {
        received += chunk;
        const [head = "", rest] = received.split("\r\n\r\n");
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
        if (rest !== undefined && Buffer.byteLength(rest) === length) {
          socket.destroy();
          resolve(received);
        }
      });
      socket.on("error", reject);
      const length = Buffer.byteLength(body);
      socket.write(
        `POST /mcp/${slug} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${length}\r\nContent-Type: application/json\r\n\r\n${body}`,
      );
    });
  }

  test("a client with only Content-Type and Host gets the weather in the bytes of the page", async () => {
    const response = await send("my-weather-tools", CALL_WEATHER.trim());
    expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\nContent-Type: application\/json\r\n/);
    expect(response.split("\r\n\r\n")[1]).toBe(JSON.stringify(WEATHER_RESPONSE));
  });

  test("a client with only Content-Type and Host gets -32601 from a server without tools", async () => {
    const response = await send("nothing", CALL_WEATHER.trim());
    expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(response.split("\r\n\r\n")[1]).toBe(JSON.stringify(NO_METHOD_RESPONSE));
  });
});

describe.each(["modern", "legacy"] as const)("our own client in the %s era", (era) => {
  const options = era === "modern" ? {} : { era: "legacy" as const };

  test("the client lists, calls, and reads errors", async () => {
    await using client = await connect(`${gateway.url}/mcp/my-weather-tools`, options);
    expect(client.era).toBe(era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["get_weather"]);
    const weather = await client.callTool("get_weather", { city: "London" });
    expect(weather.content).toEqual(WEATHER_RESPONSE.result.content);
    expect(weather.isError).toBeUndefined();
    const failed = await client.callTool("get_weather", { city: "Atlantis" });
    expect(failed).toMatchObject(NOT_FOUND_RESPONSE.result);
  });

  test("the client gets -32601 from a server without tools", async () => {
    await using client = await connect(`${gateway.url}/mcp/nothing`, options);
    await expect(client.request("tools/call", { name: "get_weather", arguments: {} })).rejects.toMatchObject({
      code: -32601,
    });
  });
});

describe("sentences of the page", () => {
  test.each([4, "4", 0, -1, "a b", ""])("the id %j is echoed unchanged", async (id) => {
    const response = await post("my-weather-tools", {
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "get_weather", arguments: { city: "London" } },
    });
    expect(await response.json()).toEqual({ ...WEATHER_RESPONSE, id });
  });

  test.each([undefined, "your_session_id", "", "x".repeat(200)])("the session id %j is accepted", async (session) => {
    const headers: Record<string, string> = session === undefined ? {} : { "Mcp-Session-Id": session };
    const response = await post("my-weather-tools", CALL_WEATHER, headers);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(JSON.stringify(WEATHER_RESPONSE));
  });

  test("the name of a tool must be one of the list", async () => {
    const unknown = await post("my-weather-tools", CALL_WEATHER.replace("get_weather", "nope"));
    expect(await unknown.json()).toEqual({
      jsonrpc: "2.0",
      id: 4,
      error: { code: -32602, message: "Unknown tool: nope" },
    });
    const inactive = await post("my-weather-tools", CALL_WEATHER.replace("get_weather", "resting"));
    expect(await inactive.json()).toEqual({
      jsonrpc: "2.0",
      id: 4,
      error: { code: -32602, message: "Unknown tool: resting" },
    });
  });

  test.each([
    ["missing", {}],
    ["absent", undefined],
    ["of the wrong type", { city: 5 }],
  ])("a required field that is %s is a validation error, and nothing is sent to the API", async (_, args) => {
    const before = api.requests.length;
    const response = await post("my-weather-tools", {
      jsonrpc: "2.0",
      id: 4,
      method: "tools/call",
      params: { name: "get_weather", arguments: args },
    });
    const { result } = (await response.json()) as { result: { isError: boolean; content: [{ text: string }] } };
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toContain("- city: ");
    expect(api.requests).toHaveLength(before);
  });

  test("a notification is accepted without an answer", async () => {
    const response = await post("my-weather-tools", { jsonrpc: "2.0", method: "notifications/initialized" });
    expect(response.status).toBe(202);
    expect(await response.text()).toBe("");
  });
});
