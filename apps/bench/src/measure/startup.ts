/** How long it takes until a server that has just been started gives its first answer. */
import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { contenders } from "../contenders/index.ts";
import { contender as toolwireJson } from "../contenders/toolwire-json.ts";
import { exchangeLine, initializePipes } from "../load/line-exchange.ts";
import { pinCommand } from "../processes/pinning.ts";
import { checkAnswer } from "../workload/answers.ts";
import { callParams, prepareMessage } from "../workload/requests.ts";
import type { Wiring } from "../workload/scenario.ts";
import { divideByRound, type Summary, summarize } from "./statistics.ts";

/** One row of the start-up table. */
export interface Startup {
  readonly name: string;
  readonly note?: string;
  /** Milliseconds from spawning to the first answer to `tools/list`. */
  readonly answer: Summary;
  /** The same as a multiple of the bare script's, taken within rounds. */
  readonly ratio: Summary;
  /** Milliseconds that importing the packages takes in a process that runs already. */
  readonly imports?: Summary;
}

const SERVE = fileURLToPath(new URL("../processes/serve.js", import.meta.url));
const HERE = fileURLToPath(new URL("..", import.meta.url));

const WIRING: Wiring = { transport: "stdio", era: "modern", sessions: false, answers: "json", tools: 2 };

/** The imports of a stdio server of each contender. */
const IMPORTS: Readonly<Record<string, readonly string[]>> = {
  toolwire: ["@toolwire/server", "@toolwire/server/stdio", "zod"],
  "toolwire-json": ["@toolwire/server", "@toolwire/server/stdio"],
  v2: ["@modelcontextprotocol/server", "@modelcontextprotocol/server/stdio", "zod"],
  v1: ["sdk-v1/server/mcp.js", "sdk-v1/server/stdio.js", "zod"],
  fastmcp: ["fastmcp", "zod"],
  tmcp: ["tmcp", "@tmcp/transport-stdio", "@tmcp/adapter-zod", "zod"],
};

/** Starts each server once per round. */
export async function measureStartup(rounds: number): Promise<Startup[]> {
  const entrants = [...contenders.slice(0, 1), toolwireJson, ...contenders.slice(1)].flatMap((contender) => {
    const { name } = contender;
    const offered = contender.offer(WIRING);
    if (typeof offered === "string") return [];
    return [{ name, wiring: offered.wiring, note: offered.note, answers: [] as number[], imports: [] as number[] }];
  });
  // The first round only fills the caches of the operating system.
  for (let round = -1; round < rounds; round++) {
    for (const entrant of round % 2 === 0 ? entrants : entrants.toReversed()) {
      const answer = await timeFirstAnswer(entrant.name, entrant.wiring);
      const imported = timeImports(IMPORTS[entrant.name] ?? []);
      if (round === -1) continue;
      entrant.answers.push(answer);
      entrant.imports.push(imported);
    }
  }
  const raw = entrants.find(({ name }) => name === "raw")?.answers ?? [];
  return entrants.map(({ name, note, answers, imports }) => ({
    name,
    ...(note !== undefined && { note }),
    answer: summarize(answers),
    ratio: summarize(divideByRound(answers, raw)),
    ...(name in IMPORTS && { imports: summarize(imports) }),
  }));
}

async function timeFirstAnswer(contender: string, wiring: Wiring): Promise<number> {
  const [program, ...rest] = pinCommand("measured", [process.execPath, SERVE, contender, JSON.stringify(wiring)]);
  const start = performance.now();
  const child = spawn(program, rest, { stdio: ["pipe", "pipe", "ignore"] });
  try {
    if (wiring.era === "legacy") await initializePipes(child);
    const request = prepareMessage("tools/list", callParams({ kind: "list" }, wiring.era), "\n");
    const answer = await exchangeLine(child, request);
    const ms = performance.now() - start;
    checkAnswer(answer, { call: { kind: "list" }, tools: wiring.tools });
    return ms;
  } finally {
    child.kill("SIGKILL");
  }
}

function timeImports(specifiers: readonly string[]): number {
  const script = `const start = performance.now();
    ${specifiers.map((specifier) => `await import(${JSON.stringify(specifier)});`).join("\n")}
    console.log(performance.now() - start);`;
  const [program, ...rest] = pinCommand("measured", [process.execPath, "--input-type=module", "-e", script]);
  const { status, stdout, stderr } = spawnSync(program, rest, { cwd: HERE, encoding: "utf8" });
  if (status !== 0) throw new Error(`Importing ${specifiers.join(", ")} failed: ${stderr}`);
  return Number(stdout);
}
