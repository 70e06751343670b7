import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "@toolwire/client";
import { afterEach, describe, expect, test } from "vitest";
import { CommandLineError, readCommandLine } from "../src/command-line.ts";
import { MAIN, startServer, type RunningServer } from "./built-server.ts";

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program until it ends by itself. */
function runToEnd(...args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...args], { timeout: 20_000 }, (error, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr });
    });
  });
}

const running: RunningServer[] = [];
async function start(args: readonly string[], listeners?: number): Promise<RunningServer> {
  const server = await startServer(args, listeners);
  running.push(server);
  return server;
}
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

describe("the command line", () => {
  test("--help explains it", async () => {
    const { code, stdout } = await runToEnd("--help");
    expect(code).toBe(0);
    for (const word of ["stdio", "http", "ws", "all", "--port", "--legacy-sse"]) expect(stdout).toContain(word);
  });

  test("arguments that make no sense are refused with the reason, and exit code 64", async () => {
    const { code, stdout, stderr } = await runToEnd("http", "--port", "http");
    expect(code).toBe(64);
    expect(stdout).toBe("");
    expect(stderr).toContain("--port must be a number");
  });

  test.each([
    [[], "Name one transport"],
    [["carrier-pigeon"], "Name one transport"],
    [["toString"], "Name one transport"],
    [["http", "ws"], "Name one transport"],
    [["http", "--port", "70000"], "--port must be a number"],
    [["http", "--port", "-1"], "--port"],
    [["http", "--prot", "3000"], "--prot"],
  ])("%j makes no sense", (args, words) => {
    expect(() => readCommandLine(args)).toThrow(CommandLineError);
    expect(() => readCommandLine(args)).toThrow(words);
  });

  test.each([
    [["http"], 3000, 3001],
    [["ws", "--port", "4000"], 4000, 4000],
    [["all"], 3000, 3001],
    [["all", "--port", "4000"], 4000, 4001],
    [["all", "--port", "0"], 0, 0],
    [["all", "--port", "0", "--ws-port", "5000"], 0, 5000],
  ])("%j chooses ports", (args, httpPort, wsPort) => {
    expect(readCommandLine(args)).toMatchObject({ httpPort, wsPort });
  });

  test("a port that is taken is named, and nothing is left open", async () => {
    const { urls } = await start(["http", "--port", "0"]);
    const { port } = new URL(urls[0] ?? "");
    const { code, stderr } = await runToEnd("all", "--port", port, "--ws-port", "0");
    expect(code).toBe(1);
    expect(stderr).toContain(port);
  });
});

describe("listening", () => {
  test.each([
    ["http", /^http:\/\/127\.0\.0\.1:\d+\/mcp$/],
    ["ws", /^ws:\/\/127\.0\.0\.1:\d+\/ws$/],
  ])("%s announces where, as one line of JSON on stderr", async (transport, url) => {
    const server = await start([transport, "--port", "0"]);
    expect(server.urls).toEqual([expect.stringMatching(url)]);
    expect(server.stderr()).toBe(`{"listening":"${server.urls[0]}"}\n`);
    const client = await connect(server.urls[0] ?? "");
    expect(await client.callTool("echo", { message: transport })).toMatchObject({
      content: [{ type: "text", text: `Echo: ${transport}` }],
    });
    await client.close();
  });

  test("SIGTERM ends it in good order", async () => {
    const server = await startServer(["http", "--port", "0"]);
    expect(await server.stop()).toBe(0);
  });

  test("--legacy-sse serves the transport of 2024-11-05 as well", async () => {
    const server = await start(["http", "--port", "0", "--legacy-sse"]);
    const response = await fetch(new URL("/sse", server.urls[0]), { headers: { Accept: "text/event-stream" } });
    expect(response.status).toBe(200);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toMatch(/event: endpoint\ndata: .*\/messages/);
    await reader.cancel();
    const plain = await start(["http", "--port", "0"]);
    expect((await fetch(new URL("/sse", plain.urls[0]))).status).toBe(404);
  });

  test("a web page of another host is turned away", async () => {
    const server = await start(["http", "--port", "0"]);
    const response = await fetch(server.urls[0] ?? "", {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        Origin: "https://evil.example",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    });
    expect(response.status).toBe(403);
  });
});

describe("all", () => {
  test("serves three transports at once, and ends with its stdio client", async () => {
    const server = await start(["all", "--port", "0"], 2);
    const [http, ws] = await Promise.all(server.urls.map((url) => connect(url)));
    expect(await http?.callTool("echo", { message: "http" })).toMatchObject({ content: [{ text: "Echo: http" }] });
    expect(await ws?.callTool("echo", { message: "ws" })).toMatchObject({ content: [{ text: "Echo: ws" }] });
    await Promise.all([http?.close(), ws?.close()]);

    const { process: child } = server;
    child.stdout!.setEncoding("utf8");
    child.stdin!.write('{"jsonrpc":"2.0","id":"a","method":"ping"}\n');
    const [line] = (await once(child.stdout!, "data")) as [string];
    expect(JSON.parse(line)).toMatchObject({ id: "a", result: {} });
    const exited = once(child, "exit");
    child.stdin!.end();
    expect((await exited)[0]).toBe(0);
  });

  test("keeps its ports open if there never was a stdio client", async () => {
    const server = await start(["all", "--port", "0"], 2);
    server.process.stdin!.end();
    await once(server.process.stdin!, "close");
    const client = await connect(server.urls[0] ?? "");
    expect(await client.callTool("echo", { message: "still here" })).toMatchObject({
      content: [{ text: "Echo: still here" }],
    });
    await client.close();
    expect(await server.stop()).toBe(0);
  });
});

test("stdio ends at the end of input, and prints nothing but messages", async () => {
  const child = spawn(process.execPath, [MAIN, "stdio"], { stdio: ["pipe", "pipe", "pipe"] });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  const [code] = (await once(child, "close")) as [number];
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: {} });
});
