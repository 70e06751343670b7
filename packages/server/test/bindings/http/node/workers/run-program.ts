import { build } from "esbuild";
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Agent, request } from "node:http";
import { vi } from "vitest";

/** A program with workers, as a test sees it. */
export interface Program {
  readonly child: ChildProcess;
  readonly url: string;
  readonly diagnostics: string[];
  act(what: "reload" | "close" | "drain"): Promise<void>;
  /** The processes of its workers. */
  pids(): number[];
}

const running = new Set<ChildProcess>();
let folder = "";

/** Makes one file of the program, because every worker loads it again. */
export async function buildProgram(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), "toolwire-workers-"));
  await build({
    entryPoints: [join(import.meta.dirname, "program.ts")],
    outfile: join(folder, "program.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    conditions: ["@toolwire/source"],
    logLevel: "warning",
  });
}

export async function removeProgram(): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** Starts the program. Rejects with what it says if it cannot serve. */
export async function runProgram(settings: object): Promise<Program> {
  const child = fork(join(folder, "program.mjs"), {
    env: { ...process.env, SETTINGS: JSON.stringify(settings) },
    // Errors that are wanted would clutter the report.
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  running.add(child);
  const diagnostics: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`The program has ended with code ${code}.`)));
    child.on(
      "message",
      (message: { readonly url?: string; readonly failed?: { message: string }; readonly diagnostic?: string }) => {
        if (message.url !== undefined) resolve(message.url);
        if (message.failed !== undefined) reject(Object.assign(new Error(message.failed.message), message.failed));
        if (message.diagnostic !== undefined) diagnostics.push(message.diagnostic);
      },
    );
  });
  return {
    child,
    url,
    diagnostics,
    async act(what) {
      const done = new Promise<void>((resolve) => {
        const listener = (message: { readonly done?: string }): void => {
          if (message.done !== what) return;
          child.off("message", listener);
          resolve();
        };
        child.on("message", listener);
      });
      child.send(what);
      await done;
    },
    pids: () => childrenOf(child.pid ?? 0),
  };
}

/** Ends whatever a test has left. */
export async function endPrograms(): Promise<void> {
  for (const child of running) {
    running.delete(child);
    const workers = childrenOf(child.pid ?? 0);
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }
    await vi.waitFor(() => {
      if (workers.some(isRunning)) throw new Error("A worker has outlived its program.");
    }, 10_000);
  }
}

/** The processes that a process has started, as Linux knows them. */
function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

export function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

let ids = 0;

/** Calls a tool and returns its text. Without an agent, over a connection of its own. */
export async function callTool(url: string, name: string, agent: Agent | false = false): Promise<string> {
  ids += 1;
  const params = { name, arguments: {}, _meta: META };
  const text = await post(url, { jsonrpc: "2.0", id: ids, method: "tools/call", params }, agent);
  const response = JSON.parse(text) as { readonly result: { readonly content: readonly { readonly text: string }[] } };
  return response.result.content[0]?.text ?? "";
}

function headersFor(message: { readonly method: string; readonly params: object }): Record<string, string> {
  const { name } = message.params as { readonly name?: string };
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": message.method,
    ...(name !== undefined && { "mcp-name": name }),
  };
}

function post(
  url: string,
  message: { readonly method: string; readonly params: object; readonly [name: string]: unknown },
  agent: Agent | false,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", agent, headers: headersFor(message) }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error(`${response.statusCode} ${text}`)),
      );
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(JSON.stringify(message));
  });
}

/** Opens a subscription to changes of the list of tools. Returns what it has received so far, as text that grows. */
export async function listen(url: string): Promise<{ readonly text: () => string; readonly close: () => void }> {
  const filter = { notifications: { toolsListChanged: true } };
  ids += 1;
  const message = { jsonrpc: "2.0", id: ids, method: "subscriptions/listen", params: { ...filter, _meta: META } };
  let text = "";
  const sent = request(url, { method: "POST", agent: false, headers: headersFor(message) }, (response) => {
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => (text += chunk));
    response.on("error", () => {});
  });
  sent.on("error", () => {});
  sent.end(JSON.stringify(message));
  await vi.waitFor(() => {
    if (!text.includes("acknowledged")) throw new Error(`The subscription was not acknowledged: ${text}`);
  }, 10_000);
  return { text: () => text, close: () => void sent.destroy() };
}
