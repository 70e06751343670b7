import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { startGateway } from "../gateway-process.ts";
import { runVerb } from "./run-verb.ts";
import { hasTerminals, spawnOnTerminal } from "./terminal.ts";

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "init-"));
  file = join(folder, "gateway.yaml");
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const DOCUMENT = `openapi: 3.1.0
info: { title: Pets, version: "1" }
servers: [{ url: https://pets.example.com }]
security: [{ key: [] }]
paths: { /pets: { get: { operationId: list_pets, responses: { "200": { description: ok } } } } }
components: { securitySchemes: { key: { type: http, scheme: bearer } } }
`;

describe("init", () => {
  test.each([
    [["--example"], "weather", 0],
    [["--openapi", "DOCUMENT"], "pets", 0],
    [["--url", "https://mcp.example.com/mcp"], "example-com", 0],
    [["--command", 'npx -y "@a/server-files@1.2.3" .'], "server-files", 0],
    [["--example", "--slug", "mine", "--port", "9999", "--keys"], "mine", 0],
  ])("writes a file for %j that check takes as it is", async (argv, slug) => {
    const document = join(folder, "pets.yaml");
    await writeFile(document, DOCUMENT);
    const options = argv.map((each) => (each === "DOCUMENT" ? document : each));
    const ran = await runVerb(["init", file, ...options]);
    expect(ran).toMatchObject({ code: 0, told: expect.stringContaining(`Start it: toolwire-gateway serve ${file}`) });
    const text = await readFile(file, "utf8");
    expect(text).toMatch(/^# The configuration of a Toolwire gateway\./);
    const checked = await runVerb(["check", file, "--json"]);
    expect(JSON.parse(checked.printed)).toMatchObject({ ok: true, problems: [], servers: [{ slug }] });
    const { listen, servers } = parse(text);
    expect(listen.port).toBe(argv.includes("--port") ? 9999 : 8080);
    expect(servers[slug].auth).toEqual(argv.includes("--keys") ? { apiKeys: true } : undefined);
  });

  test("writes a file that serve serves at once", async () => {
    await runVerb(["init", file, "--example"]);
    // The embedded database takes seconds to be made, and has tests of its own.
    const text = (await readFile(file, "utf8")).replace("{ store: pglite, path: data }", "{ store: memory }");
    await using gateway = await startGateway(text);
    const response = await fetch(`${gateway.url}/mcp/weather`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    expect(await response.json()).toMatchObject({ result: { tools: [{ name: "get_weather" }] } });
  });

  test("never replaces a file unless it is told to", async () => {
    await writeFile(file, "mine");
    expect(await runVerb(["init", file, "--example"])).toMatchObject({
      code: 1,
      told: expect.stringContaining("--force"),
    });
    expect(await readFile(file, "utf8")).toBe("mine");
    await expect(runVerb(["init", file, "--example", "--force"])).resolves.toMatchObject({ code: 0 });
  });

  test.each([
    [[], "--example, --openapi, --url or --command"],
    [["--example", "--url", "https://a.example.com"], "Say one of"],
    [["--url", "a"], "must begin with"],
    [["--example", "--port", "many"], "The port must be"],
  ])("says without a terminal what is missing or wrong: %j", async (argv, reason) => {
    expect(await runVerb(["init", file, ...argv])).toMatchObject({ code: 2, told: expect.stringContaining(reason) });
  });

  test.skipIf(!hasTerminals)("asks on a terminal, and writes what was answered", async () => {
    const child = spawnOnTerminal(["init", file], { ...process.env, TERM: "xterm" });
    let output = "";
    let asked = 0;
    const ENTER = "\r";
    const DOWN = "\u001B[B";
    const answers: readonly (readonly [question: string, keys: string])[] = [
      ["What do you want to serve?", `${DOWN}${DOWN}${ENTER}`],
      ["What is its URL?", `https://wiki.example.com/mcp${ENTER}`],
      ["Which port", ENTER],
      ["Do callers need a key?", `y`],
      ["Which file?", ENTER],
    ];
    child.stdout.on("data", (chunk: Buffer) => {
      output += String(chunk);
      const next = answers[asked];
      if (next === undefined || !output.includes(next[0])) return;
      asked += 1;
      child.stdin.write(next[1]);
    });
    const [code] = (await once(child, "close")) as [number];
    expect([asked, code]).toEqual([answers.length, 0]);
    expect(parse(await readFile(file, "utf8"))).toMatchObject({
      listen: { port: 8080 },
      servers: {
        "wiki-example-com": {
          auth: { apiKeys: true },
          upstreams: { "wiki-example-com": { url: "https://wiki.example.com/mcp" } },
        },
      },
    });
  });
});
