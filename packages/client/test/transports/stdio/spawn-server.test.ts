import { TransportError } from "@toolwire/protocol";
import { spawnServer, type ServerProcess } from "@toolwire/client/stdio";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { eventually } from "../../../../../test/eventually.ts";
import { bundleFixture } from "../../../../../test/bundle-fixture.ts";
import { isRunning } from "./is-running.ts";
import { Peer } from "./peer.ts";
import { scriptedProcess } from "./scripted-process.ts";

const realServer = await bundleFixture(
  new URL("../../../../server/test/bindings/stdio/fixtures/server.ts", import.meta.url),
);
const clientProgram = await bundleFixture(new URL("./fixtures/client.ts", import.meta.url));

/** A server that neither the end of its input nor SIGTERM can move. */
const STUBBORN = `
  process.on("SIGTERM", () => console.error("SIGTERM"));
  process.stdin.on("end", () => console.error("end of input"));
  setInterval(() => {}, 60_000);
`;

/** How long a process may take to be gone before a test gives up. */
const PATIENCE = { timeout: 20_000 };

describe("2026-07-28 and 2025-11-25, the client's side of stdio", () => {
  it("launches the server as a subprocess, and talks to it one message a line", async () => {
    const channel = spawnServer({ command: process.execPath, args: [realServer], stderr: "ignore" });
    expect(channel.pid).toBeUndefined();
    const peer = await Peer.open(channel);
    expect(isRunning(channel.pid!)).toBe(true);
    expect(await peer.callTool("echo", { text: "Grüße\n🌍\u2028" })).toBe("Grüße\n🌍\u2028");
  });

  it("MUST NOT: messages contain no embedded newlines, and nothing but messages is written", async () => {
    const peer = await Peer.open(
      spawnServer(
        scriptedProcess("(request, lines) => ({ lines })", 'process.stdout.write("Server started!\\n\\u0000\\n");'),
      ),
    );
    const { lines } = (await peer.caller.call("probe", { text: "a\nb\r\nc" })) as { lines: string[] };
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      { jsonrpc: "2.0", id: 1, method: "probe", params: { text: "a\nb\r\nc" } },
    ]);
    expect(peer.violations.map(({ code }) => code)).toEqual(["PARSE_ERROR", "PARSE_ERROR"]);
  });

  it("MUST NOT: no responses are written in answer to what the server may not send", async () => {
    const garbage = ['{"jsonrpc":"2.0"}', "[]", '{"jsonrpc":"2.0","id":99,"result":{}}', "garbage"];
    const extra = `for (const line of ${JSON.stringify(garbage)}) process.stdout.write(line + "\\n");`;
    const peer = await Peer.open(spawnServer(scriptedProcess("(request, lines) => ({ lines })", extra)));
    const { lines } = (await peer.caller.call("probe", {})) as { lines: string[] };
    expect(lines).toHaveLength(1);
    expect(peer.violations).toHaveLength(4);
  });

  it("the channel ends a program that floods its output with what is no message, and says what it wrote", async () => {
    const script = `
      const text = "y\\n".repeat(32768);
      process.stdout.on("error", () => process.exit(1));
      (function write(error) {
        if (!error) process.stdout.write(text, write);
      })();
    `;
    const channel = spawnServer({
      command: process.execPath,
      args: ["-e", script],
      stderr: "ignore",
      stopTimeout: 60_000,
    });
    const peer = new Peer(channel);
    expect(await peer.closed).toMatchObject({
      code: "OVERLOADED",
      message: expect.stringContaining('the last was "y"') as string,
    });
    expect(peer.violations).toHaveLength(10);
    // The output is not read any more, which ends the program long before it would be told to.
    await eventually(() => expect(isRunning(channel.pid!)).toBe(false));
  });

  it("MUST: cancels with notifications/cancelled that names the request", async () => {
    const peer = await Peer.open(
      spawnServer(scriptedProcess("({ method }, lines) => (method === 'hang' ? undefined : { lines })")),
    );
    const abort = new AbortController();
    const hanging = peer.caller.call("hang", {}, { signal: abort.signal });
    abort.abort(new Error("changed my mind"));
    await expect(hanging).rejects.toThrow("changed my mind");
    const { lines } = (await peer.caller.call("probe", {})) as { lines: string[] };
    expect(JSON.parse(lines[1]!)).toMatchObject({ method: "notifications/cancelled", params: { requestId: 1 } });
  });

  it("MAY: captures stderr; SHOULD NOT: does not take it for an error", async () => {
    let said = "";
    const options = { ...scriptedProcess("() => ({})", 'process.stderr.write("größer error!\\n");') };
    const peer = await Peer.open(spawnServer({ ...options, stderr: (text) => (said += text) }));
    expect(await peer.caller.call("probe", {})).toEqual({});
    await expect.poll(() => said).toBe("größer error!\n");
  });

  it.each([
    [
      "at once",
      (): never => {
        throw new Error("no pen");
      },
    ],
    ["later", () => Promise.reject(new Error("no pen"))],
  ])("the channel goes on when the function that hears stderr fails %s, and says so once", async (_, fail) => {
    const warnings: Error[] = [];
    const hear = (warning: Error): void => void warnings.push(warning);
    process.on("warning", hear);
    onTestFinished(() => void process.off("warning", hear));
    const options = scriptedProcess('(request) => (process.stderr.write("again "), {})');
    const stderr = vi.fn(fail);
    const channel = spawnServer({ ...options, stderr });
    const peer = await Peer.open(channel);
    await peer.caller.call("probe", {});
    await expect.poll(() => channel.stderrTail).toBe("again ");
    await peer.caller.call("probe", {});
    await expect.poll(() => channel.stderrTail).toBe("again again ");
    expect(stderr).toHaveBeenCalledTimes(1);
    expect(warnings.map(({ message }) => message)).toEqual([expect.stringContaining("no pen")]);
  });

  it("MAY: forwards stderr, which is the default", async () => {
    const forwarded: unknown[] = [];
    const write = vi.spyOn(process.stderr, "write").mockImplementation((text) => forwarded.push(text) > 0);
    onTestFinished(() => write.mockRestore());
    const { stderr: _, ...options } = scriptedProcess("() => ({})", 'process.stderr.write("forwarded");');
    const channel = spawnServer(options);
    await Peer.open(channel);
    await expect.poll(() => channel.stderrTail).toBe("forwarded");
    expect(forwarded).toContain("forwarded");
  });

  it("SHOULD: shuts down by closing the input and waiting", async () => {
    let said = "";
    const extra = 'process.stdin.on("end", () => { console.error("end of input"); process.exitCode = 0; });';
    const channel = spawnServer({ ...scriptedProcess("() => ({})", extra), stderr: (text) => (said += text) });
    const peer = await Peer.open(channel);
    await peer.close();
    expect(said).toBe("end of input\n");
    expect(isRunning(channel.pid!)).toBe(false);
    expect(await peer.closed).toBeUndefined();
  });

  it("shuts down by itself at the end of an `await using` block", async () => {
    let pid: number | undefined;
    {
      await using channel = spawnServer(scriptedProcess("() => ({})"));
      await channel.open({ message() {}, batch() {}, malformed() {}, closed() {} });
      ({ pid } = channel);
      expect(isRunning(pid!)).toBe(true);
    }
    expect(isRunning(pid!)).toBe(false);
  });

  it.skipIf(process.platform === "win32")("SHOULD: escalates to SIGTERM, and then to SIGKILL", async () => {
    let said = "";
    const channel = spawnServer({
      ...scriptedProcess("() => ({})", STUBBORN),
      stderr: (text) => (said += text),
      stopTimeout: 200,
    });
    const peer = await Peer.open(channel);
    await peer.caller.call("probe", {});
    await peer.close();
    expect(said).toBe("end of input\nSIGTERM\n");
    await expect.poll(() => isRunning(channel.pid!), PATIENCE).toBe(false);
  });

  it("SHOULD: a server that exits unexpectedly can be started again", async () => {
    const options = scriptedProcess("({ method }) => (method === 'die' ? process.exit(3) : { pid: process.pid })");
    const first = await Peer.open(spawnServer(options));
    const { pid } = (await first.caller.call("probe", {})) as { pid: number };
    await expect(first.caller.call("die", {})).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    const second = await Peer.open(spawnServer(options));
    const again = (await second.caller.call("probe", {})) as { pid: number };
    expect(again.pid).not.toBe(pid);
  });

  it("MAY: the server initiates shutdown by closing its output", async () => {
    const channel = spawnServer({
      ...scriptedProcess("() => { require('node:fs').closeSync(1); }", STUBBORN),
      stopTimeout: 100,
    });
    const peer = await Peer.open(channel);
    await expect(peer.caller.call("probe", {})).rejects.toThrow("closed its output");
    await expect.poll(() => isRunning(channel.pid!), PATIENCE).toBe(false);
  });
});

describe("starting", () => {
  it("involves no shell", async () => {
    const hostile = [
      "; echo injected",
      "$(id)",
      "`id`",
      "a b",
      '"quoted"',
      "'single'",
      "*",
      "~",
      "$HOME",
      "\\",
      "&&",
      "",
    ];
    const script =
      'process.stdout.write(JSON.stringify({ jsonrpc: "2.0", method: "args", params: { argv: process.argv.slice(1) } }) + "\\n"); setInterval(() => {}, 1000);';
    const channel = spawnServer({
      command: process.execPath,
      args: ["-e", script, "--", ...hostile],
      stopTimeout: 100,
    });
    const peer = await Peer.open(channel);
    await expect.poll(() => peer.notifications).toHaveLength(1);
    expect(peer.notifications[0]?.params).toEqual({ argv: hostile });
  });

  it("passes on a restricted environment, and what is given", async () => {
    vi.stubEnv("TOOLWIRE_TEST_SECRET", "hunter2");
    onTestFinished(() => void vi.unstubAllEnvs());
    const options = { ...scriptedProcess("() => ({ env: process.env })"), env: { API_URL: "http://localhost" } };
    const peer = await Peer.open(spawnServer(options));
    const { env } = (await peer.caller.call("probe", {})) as { env: Record<string, string> };
    expect(env).not.toHaveProperty("TOOLWIRE_TEST_SECRET");
    expect(env).toMatchObject({ API_URL: "http://localhost", PATH: process.env["PATH"] });
    const generous = await Peer.open(spawnServer({ ...options, inheritEnv: true }));
    const all = (await generous.caller.call("probe", {})) as { env: Record<string, string> };
    expect(all.env).toMatchObject({ API_URL: "http://localhost", TOOLWIRE_TEST_SECRET: "hunter2" });
  });

  it("a server starts in the given directory", async () => {
    const cwd = await realpath(tmpdir());
    const peer = await Peer.open(spawnServer({ ...scriptedProcess("() => ({ cwd: process.cwd() })"), cwd }));
    expect(await peer.caller.call("probe", {})).toEqual({ cwd });
  });

  it.each([
    [{ command: "toolwire-no-such-program" }, "the server's PATH"],
    [{ command: "node server.js" }, "put its arguments into `args`"],
    [{ command: process.execPath, cwd: "/no/such/directory" }, '"/no/such/directory" given as `cwd`'],
    [{ command: "null\0byte" }, "could not be started"],
  ])("explains why %o cannot be started", async (options, expected) => {
    const opening = new Peer(spawnServer(options)).opened;
    await expect(opening).rejects.toMatchObject({ code: "CONNECT_FAILED" });
    await expect(opening).rejects.toThrow(expected);
  });

  it.skipIf(process.platform === "win32")("explains that a file is not executable", async () => {
    const directory = await mkdtemp(join(tmpdir(), "toolwire-plain-"));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const file = join(directory, "server");
    await writeFile(file, "no program");
    await chmod(file, 0o644);
    await expect(new Peer(spawnServer({ command: file })).opened).rejects.toThrow("not executable");
  });

  it("the channel tells what a server that fails at once said on stderr", async () => {
    const script =
      'console.error("x".repeat(10_000)); console.error("Error: DATABASE_URL is not set"); process.exit(7);';
    const peer = await Peer.open(spawnServer({ command: process.execPath, args: ["-e", script], stderr: "ignore" }));
    const calling = peer.caller.call("probe", {});
    await expect(calling).rejects.toThrow("exited with code 7");
    await expect(calling).rejects.toThrow("DATABASE_URL is not set");
    const reason = await peer.closed;
    expect(reason?.message.length).toBeLessThan(5000);
  });

  it("the channel quotes no line of stderr whose beginning is gone: it may be the end of a secret", async () => {
    const secret = "sk-live-4f1d0c9b";
    const script = `
      console.error(${JSON.stringify(`token=${secret}`)} + ".".repeat(4058));
      console.error("Error: the token was refused");
      process.exit(7);
    `;
    const channel = spawnServer({ command: process.execPath, args: ["-e", script], stderr: "ignore" });
    const reason = await (await Peer.open(channel)).closed;
    expect(reason?.message).toContain("Error: the token was refused");
    expect(reason?.message).not.toContain(secret.slice(-6));
    expect(channel.stderrTail).not.toContain(secret.slice(-6));
  });

  it("the channel tells which signal ended the server", async () => {
    const channel = spawnServer(scriptedProcess("() => undefined"));
    const peer = await Peer.open(channel);
    const calling = peer.caller.call("probe", {});
    process.kill(channel.pid!, "SIGKILL");
    await expect(calling).rejects.toThrow("was ended by SIGKILL");
  });

  it("the channel ends a server that was closed while it was being started", async () => {
    const channel = spawnServer(scriptedProcess("() => ({})", STUBBORN));
    const opening = new Peer(channel).opened;
    await channel.close();
    await expect(opening).rejects.toMatchObject({ code: "CLOSED" });
    expect(() => channel.send({ jsonrpc: "2.0", method: "x" })).toThrow(TransportError);
  });
});

describe("no orphans", () => {
  /** Starts a program that starts a server, and resolves to the ids of both. */
  async function startClient(ending: string, server: readonly string[]): Promise<{ client: number; server: number }> {
    const client = spawn(process.execPath, [clientProgram, ending, ...server], { stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void client.kill("SIGKILL"));
    const [line] = (await once(createInterface({ input: client.stdout }), "line")) as [string];
    const { server: pid } = JSON.parse(line) as { server: number };
    onTestFinished(() => {
      if (isRunning(pid)) process.kill(pid, "SIGKILL");
    });
    return { client: client.pid!, server: pid };
  }

  const announce = 'process.stdout.write(\'{"jsonrpc":"2.0","method":"ready"}\\n\');';
  const stubborn = [process.execPath, "-e", `${STUBBORN} process.stdin.resume(); ${announce}`];

  it("the channel ends the server when the client exits", async () => {
    const { server } = await startClient("exit", stubborn);
    await expect.poll(() => isRunning(server), PATIENCE).toBe(false);
  });

  it("the channel ends the server when the client dies of an exception", async () => {
    const { server } = await startClient("throw", stubborn);
    await expect.poll(() => isRunning(server), PATIENCE).toBe(false);
  });

  it("the channel lets the client end by itself once it has closed the connection", async () => {
    const started = await startClient("close", [process.execPath, "-e", `process.stdin.resume(); ${announce}`]);
    await expect.poll(() => isRunning(started.server), PATIENCE).toBe(false);
    await expect.poll(() => isRunning(started.client), PATIENCE).toBe(false);
  });

  it("sees one of our servers end by itself when the client is killed", async () => {
    const started = await startClient("wait", [process.execPath, realServer]);
    process.kill(started.client, "SIGKILL");
    await expect.poll(() => isRunning(started.server), PATIENCE).toBe(false);
  });

  it.skipIf(process.platform === "win32")(
    "ends even a server that does not care when the client is killed",
    async () => {
      const started = await startClient("wait", stubborn);
      process.kill(started.client, "SIGKILL");
      await expect.poll(() => isRunning(started.server), PATIENCE).toBe(false);
    },
    30_000,
  );

  it.skipIf(process.platform === "win32")("ends what the server has started, too", async () => {
    const answer = `() => {
      const child = require("node:child_process").spawn("sleep", ["1000"], { stdio: "inherit" });
      return { pid: child.pid };
    }`;
    const peer = await Peer.open(spawnServer({ ...scriptedProcess(answer), stopTimeout: 200 }));
    const { pid } = (await peer.caller.call("probe", {})) as { pid: number };
    expect(isRunning(pid)).toBe(true);
    await peer.close();
    await expect.poll(() => isRunning(pid), PATIENCE).toBe(false);
  });

  it.skipIf(process.platform === "win32")("notices the end of a server whose child holds its output open", async () => {
    const answer = `() => {
      const options = { stdio: "inherit", detached: true };
      const child = require("node:child_process").spawn("sleep", ["1000"], options);
      process.stderr.write("child " + child.pid + " ");
      process.exit(5);
    }`;
    const channel: ServerProcess = spawnServer(scriptedProcess(answer));
    const peer = await Peer.open(channel);
    onTestFinished(() => {
      const pid = Number(/child (\d+)/.exec(channel.stderrTail)?.[1]);
      if (isRunning(pid)) process.kill(pid, "SIGKILL");
    });
    await expect(peer.caller.call("probe", {})).rejects.toThrow("exited with code 5");
  });
});

describe("much at once", () => {
  it("matches ten thousand answers that come in random order", async () => {
    const peer = await Peer.open(spawnServer({ command: process.execPath, args: [realServer], stderr: "ignore" }));
    const calls = Array.from({ length: 10_000 }, (_, index) => peer.callTool("hold", { name: `call ${index}` }));
    await peer.callTool("release");
    expect(await Promise.all(calls)).toEqual(calls.map((_, index) => `call ${index}`));
    expect(peer.violations).toEqual([]);
  }, 60_000);

  it("carries messages of many megabytes, which no pipe takes at once", async () => {
    const peer = await Peer.open(spawnServer(scriptedProcess("({ params }) => params")));
    const text = "0123456789abcdeö".repeat(500_000);
    const echoes = await Promise.all([1, 2, 3].map(() => peer.caller.call("echo", { text })));
    expect(echoes.every((echo) => (echo as { text: string }).text === text)).toBe(true);
  }, 60_000);

  it("the channel ends the connection at a message above the limit, so that nobody waits in vain", async () => {
    const options = { ...scriptedProcess("() => ({ text: 'x'.repeat(100_000) })"), maxMessageBytes: 10_000 };
    const channel = spawnServer(options);
    const peer = await Peer.open(channel);
    await expect(peer.caller.call("probe", {})).rejects.toMatchObject({ code: "OVERLOADED" });
    await expect.poll(() => isRunning(channel.pid!), PATIENCE).toBe(false);
  });

  it("the channel ends the connection when too much waits for a server that does not read", async () => {
    const script = "setInterval(() => {}, 60_000);";
    const options = { command: process.execPath, args: ["-e", script], maxQueuedBytes: 1_000_000, stopTimeout: 100 };
    const channel = spawnServer(options);
    const peer = await Peer.open(channel);
    const calls = Array.from({ length: 100 }, () => peer.caller.call("probe", { text: "x".repeat(100_000) }));
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ status: "rejected" });
    }
    expect(await peer.closed).toMatchObject({ code: "OVERLOADED" });
    await expect.poll(() => isRunning(channel.pid!), PATIENCE).toBe(false);
  });
});
