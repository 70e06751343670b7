import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { simulateApi } from "../simulated-api.ts";
import { hasTerminals, PROGRAM, spawnOnTerminal } from "./terminal.ts";

const CANARY = "canary-value-of-a-variable";

interface Started {
  readonly folder: string;
  readonly file: string;
  readonly child: ChildProcess;
  output(): string;
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
}

const started: Started[] = [];
afterEach(async () => {
  for (const { child, folder } of started.splice(0)) {
    if (child.exitCode === null) {
      const ended = once(child, "close");
      child.kill("SIGTERM");
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
  }
});

/** Starts `serve` with stderr on a terminal, or on a pipe. */
async function start(
  config: string,
  options: { isTerminal: boolean; argv?: string[]; env?: object },
): Promise<Started> {
  const folder = await mkdtemp(join(tmpdir(), "serve-terminal-"));
  const file = join(folder, "gateway.yaml");
  await writeFile(file, config);
  const argv = ["serve", file, "--port", "0", "--admin-port", "0", ...(options.argv ?? [])];
  const { NO_COLOR: _, FORCE_COLOR: __, GATEWAY_ADMIN_TOKEN: ___, ...inherited } = process.env;
  const env = { ...inherited, TERM: "xterm", XDG_STATE_HOME: join(folder, "state"), API_KEY: CANARY, ...options.env };
  const child = options.isTerminal
    ? spawnOnTerminal(argv, env)
    : spawn(PROGRAM[0] ?? "", [...PROGRAM.slice(1), ...argv], { env });
  let output = "";
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      output += String(chunk).replaceAll("\r\n", "\n");
      for (const look of waiting) look();
    });
  }
  child.once("close", () => {
    for (const look of waiting) look();
  });
  const self: Started = {
    folder,
    file,
    child,
    output: () => output,
    waitFor: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(output);
          if (found === null && child.exitCode === null) return;
          waiting.delete(look);
          if (found === null) reject(new Error(`serve ended:\n${output}`));
          else resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
  started.push(self);
  return self;
}

function configFor(url: string, more = ""): string {
  return `version: 1
analytics: { store: memory }
network: { allow: [127.0.0.1] }
servers:
  weather:
    credentials: { key: { bearer: "\${env:API_KEY}" } }
    tools:
      get_weather: { description: d, request: { method: GET, url: "${url}/{city}?secret=in-the-query" }, input: { type: object, properties: { city: { type: string } }, required: [city] } }
      get_forecast: { description: d, request: { method: GET, url: "${url}/forecast" } }
${more}`;
}

async function call(url: string, name: string, args: object): Promise<void> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
  await (await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })).text();
}

/** The text without colours. */
function strip(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/\u001B\[\d+m/g, "");
}

describe.skipIf(!hasTerminals)("serve on a terminal", () => {
  test("shows endpoints, tools, who may call, a link that logs in once, calls and reloads, and no secret", async () => {
    await using api = await simulateApi(({ target }) => ({ status: target.startsWith("/Oslo") ? 200 : 502 }));
    const serve = await start(configFor(api.url), { isTerminal: true });
    const [, link = ""] = await serve.waitFor(/(http:\/\/127\.0\.0\.1:\d+\/#login=[\w-]+)/);
    const text = strip(serve.output());
    const [endpoint = ""] = /http:\/\/127\.0\.0\.1:\d+\/mcp\/weather/.exec(text) ?? [];
    expect(text).toContain("2 tools: get_weather, get_forecast");
    expect(text).toContain("Open to everybody on this machine; keys are not checked.");
    expect(serve.output()).toContain("\u001B[1mweather");

    // The link logs in once, and what it has is no admin token.
    const { origin, hash } = new URL(link);
    const logIn = (body: object): Promise<Response> =>
      fetch(`${origin}/api/v1/session`, {
        method: "POST",
        headers: { "content-type": "application/json", origin },
        body: JSON.stringify(body),
      });
    const code = hash.slice("#login=".length);
    expect((await logIn({ token: code })).status).toBe(401);
    const first = await logIn({ code });
    expect([first.status, first.headers.get("set-cookie")]).toEqual([204, expect.stringContaining("HttpOnly")]);
    expect((await logIn({ code })).status).toBe(401);

    await call(endpoint, "get_weather", { city: "Oslo" });
    await serve.waitFor(/get_weather/);
    const id = "[\\da-f]{8}-[\\da-f-]{27}";
    await expect.poll(() => strip(serve.output())).toMatch(new RegExp(`weather/get_weather +ok +[\\d.]+ ms +${id}\n`));
    await call(endpoint, "get_forecast", {});
    await expect
      .poll(() => strip(serve.output()))
      .toMatch(
        new RegExp(
          `weather/get_forecast +tool-error +[\\d.]+ ms +${id}\n +GET ${api.url} answered with HTTP status 502\\.\n`,
        ),
      );
    // The request was repeated, and its failure is in one line.
    expect(strip(serve.output()).match(/502/g)).toHaveLength(1);

    await writeFile(serve.file, configFor(api.url, "  more: { status: paused }\n"));
    await serve.waitFor(/The configuration was reloaded\./);

    const [name = ""] = await readdir(join(serve.folder, "state", "toolwire"));
    expect((await stat(join(serve.folder, "state", "toolwire", name))).mode & 0o777).toBe(0o600);
    for (const secret of ["twa_", CANARY, "in-the-query", "Oslo"]) expect(serve.output()).not.toContain(secret);
  });

  test("has no colours with NO_COLOR, and JSON lines without a link if it is asked for them", async () => {
    const serve = await start(configFor("http://127.0.0.1:9"), { isTerminal: true, env: { NO_COLOR: "1" } });
    await serve.waitFor(/#login=/);
    expect(serve.output()).not.toContain("\u001B");
    const json = await start(configFor("http://127.0.0.1:9"), { isTerminal: true, argv: ["--log", "json"] });
    await json.waitFor(/^\{"listening"/m);
    expect(json.output()).not.toMatch(/#login=|twa_/);
  });
});

describe("serve on a pipe", () => {
  test("prints JSON lines that name server, tool and call, one for each failure, and no token, link or value", async () => {
    await using api = await simulateApi(() => ({ status: 502 }));
    const serve = await start(configFor(api.url), { isTerminal: false });
    const [, listening = ""] = await serve.waitFor(/^\{"listening":"([^"]+)"/m);
    await call(`${listening}/mcp/weather`, "get_weather", { city: "Oslo" });
    await serve.waitFor(/502/);
    await call(`${listening}/mcp/weather`, "get_wether", {});
    const ended = once(serve.child, "close");
    serve.child.kill("SIGTERM");
    await ended;
    const lines = serve.output().trim().split("\n").slice(1);
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      {
        time: expect.any(String),
        level: "warning",
        server: "weather",
        tool: "get_weather",
        outcome: "tool-error",
        durationMs: expect.any(Number),
        call: expect.stringMatching(/^[\da-f-]{36}$/),
        message: `GET ${api.url} answered with HTTP status 502.`,
      },
    ]);
    for (const secret of ["#login", "twa_", CANARY, "in-the-query"]) expect(serve.output()).not.toContain(secret);
    // The token was made for this run.
    expect(await readdir(join(serve.folder, "state", "toolwire"))).toEqual([]);
  });

  test("prints text without colours and without a link that logs in with --log text, and every call with --log-level debug", async () => {
    const text = await start(configFor("http://127.0.0.1:9"), { isTerminal: false, argv: ["--log", "text"] });
    await text.waitFor(/The page is at http:\/\/127\.0\.0\.1:\d+\n/);
    expect(text.output()).not.toContain("#login");
    expect(text.output()).not.toContain("\u001B");
    await using api = await simulateApi(() => ({ status: 200 }));
    const json = await start(configFor(api.url), { isTerminal: false, argv: ["--log-level", "debug"] });
    const [, listening = ""] = await json.waitFor(/^\{"listening":"([^"]+)"/m);
    await call(`${listening}/mcp/weather`, "get_forecast", {});
    const [line] = await json.waitFor(/^\{.*"get_forecast".*$/m);
    expect(JSON.parse(line)).toMatchObject({
      level: "debug",
      server: "weather",
      outcome: "ok",
      call: expect.any(String),
    });
  });
});
