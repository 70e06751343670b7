import { join } from "node:path";
import type { Revision } from "@toolwire/protocol";
import { serveHttp } from "@toolwire/server/http";
import { serveWebSocket } from "@toolwire/server/websocket";
import { nameRuntime } from "../fixture/runtime-name.ts";
import { createFixture } from "../fixture/server.ts";
import type { ClientBinding, ClientHost, Runtime, RunningServer, ServerBinding } from "../runtimes/runtime.ts";
import { runClient } from "../steps/client-steps.ts";
import { httpSteps } from "../steps/http-steps.ts";
import { takeSteps, type Outcomes } from "../steps/outcomes.ts";
import { webSocketSteps } from "../steps/websocket-steps.ts";
import { callGuarded, serveGuarded } from "./guarded.ts";
import { REVISIONS, type Pair } from "./pairs.ts";

/** How a pair got along in one revision. */
export interface PairRun {
  readonly pair: Pair;
  readonly revision: Revision;
  readonly outcomes: Outcomes;
}

const TASK_MS = 60_000;

/** Runs a pair in all revisions. Whatever fails is an outcome, nothing is thrown. */
export async function runPair(pair: Pair, programs: string): Promise<PairRun[]> {
  const run =
    pair.half === "server" ? runServer(pair.runtime, pair.binding) : runClients(pair.runtime, pair.binding, programs);
  const outcomes = await run.catch((error: unknown): Outcomes[] => {
    const failed: Outcomes = { start: { failed: error instanceof Error ? error.message : String(error) } };
    return REVISIONS.map(() => failed);
  });
  return REVISIONS.map((revision, index) => ({ pair, revision, outcomes: outcomes[index] ?? {} }));
}

/** The server in the runtime, the client here. */
async function runServer(runtime: Runtime, binding: ServerBinding): Promise<Outcomes[]> {
  const start = runtime.servers[binding];
  if (start === undefined) throw new Error("There is no program for this.");
  const { target, stop } = await start();
  try {
    return await inTurn(async (revision) => {
      const outcomes = await runClient(target, { client: nameRuntime(), server: runtime.name, revision });
      if (typeof target !== "string") return outcomes;
      const further = binding === "websocket" ? webSocketSteps(target) : httpSteps(target, revision);
      return { ...outcomes, ...(await takeSteps(further)), ...(await callGuarded(start, binding, revision)) };
    });
  } finally {
    await stop();
  }
}

/** The client in the runtime, the server here; or both there, if they talk through memory. */
async function runClients(runtime: Runtime, binding: ClientBinding, programs: string): Promise<Outcomes[]> {
  const host = await runtime.startClients();
  const server = await serveHere(binding, host, programs);
  const guarded = await serveGuarded(binding, host.origin);
  try {
    return await inTurn((revision) => {
      const serverName = server === undefined ? runtime.name : nameRuntime();
      const meeting = { client: runtime.name, server: serverName, revision };
      return inTime(host.run({ target: server?.target, meeting, login: guarded?.login }));
    });
  } finally {
    await host
      .stop()
      .finally(() => server?.stop())
      .finally(() => guarded?.stop());
  }
}

async function serveHere(
  binding: ClientBinding,
  { origin }: ClientHost,
  programs: string,
): Promise<RunningServer | undefined> {
  if (binding === "memory") return undefined;
  if (binding === "stdio") {
    const args = [join(programs, "node-server.js"), "stdio"];
    return { target: { command: process.execPath, args }, stop: () => Promise.resolve() };
  }
  const options = { port: 0, closeTimeout: 0, ...(origin !== undefined && { allowedOrigins: [origin] }) };
  const served = await (binding === "http" ? serveHttp : serveWebSocket)(createFixture(), options);
  return { target: served.url, stop: () => served.close() };
}

/** Steps have limits of their own; this one is for runtimes that are lost altogether. */
async function inTime(run: Promise<Outcomes>): Promise<Outcomes> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<Outcomes>((resolve) => {
    timer = setTimeout(resolve, TASK_MS, { connect: { failed: `not heard of for ${TASK_MS} ms` } });
  });
  try {
    return await Promise.race([run, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

async function inTurn(run: (revision: Revision) => Promise<Outcomes>): Promise<Outcomes[]> {
  const all: Outcomes[] = [];
  for (const revision of REVISIONS) all.push(await run(revision));
  return all;
}
