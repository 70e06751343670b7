import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { connect, textOf } from "@toolwire/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const MAIN = join(import.meta.dirname, "../dist/main.js");

describe("the example gateway", () => {
  let child: ChildProcess;
  let folder: string;
  let printed = "";

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "toolwire-example-"));
    child = spawn(process.execPath, [MAIN, "--port", "0", "--admin-port", "0"], {
      env: { ...process.env, GATEWAY_DATA: folder, GATEWAY_ADMIN_TOKEN: "token-of-this-test" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    for await (const line of createInterface({ input: child.stdout! })) {
      printed += `${line}\n`;
      if (line.includes("Ctrl+C")) break;
    }
  }, 120_000);

  afterAll(async () => {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true });
  });

  test("prints the addresses of its servers and of its page, and a curl line that works", async () => {
    expect(printed).toMatch(/http:\/\/127\.0\.0\.1:\d+\/mcp\/my-weather-tools/);
    expect(printed).toContain("log in with token-of-this-test");
    const [, url = "", body = ""] = /curl (\S+) [^]*--data '([^']+)'/.exec(printed) ?? [];
    const headers = { "content-type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body });
    expect(await response.json()).toEqual({
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
    });
  });

  test("adds the key to calls of the payments API, and shows it to nobody", async () => {
    await using client = await connect(addressOf("stripe-payments"));
    const made = await client.callTool("create_customer", { email: "jane@example.com", name: "Jane Smith" });
    expect(JSON.parse(textOf(made))).toMatchObject({
      object: "customer",
      email: "jane@example.com",
      name: "Jane Smith",
    });
    const listed = await client.callTool("list_customers", { limit: 1 });
    expect(JSON.parse(textOf(listed))).toMatchObject({ object: "list", data: [{ email: "jane@example.com" }] });
    expect(printed + textOf(made) + textOf(listed)).not.toContain("sk_example");
  });

  test("passes calls on to the example server", async () => {
    await using client = await connect(addressOf("everything"));
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(5);
    const result = await client.callTool("get_weather", { city: "Oslo" });
    expect(result.isError).toBeUndefined();
  });

  test("reports a city that the API does not know as an error that a model can read", async () => {
    await using client = await connect(addressOf("my-weather-tools"));
    const result = await client.callTool("get_weather", { city: "Atlantis" });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe("Error: Upstream API returned 404 - City not found");
  });

  function addressOf(slug: string): string {
    return new RegExp(`http://[^ ]+/mcp/${slug}`).exec(printed)?.[0] ?? "";
  }
});
