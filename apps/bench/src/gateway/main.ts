/** Entry point of `npm run bench:gateway`. */
import { writeFileSync } from "node:fs";
import { cpus, release, type as systemName } from "node:os";
import { parseArgs } from "node:util";
import { isPinning } from "../processes/pinning.ts";
import { type Contender, CONTENDERS, openSite, withBefore } from "./contenders.ts";
import { type Figures, type GatewayEffort, measureContenders } from "./measure.ts";
import { fetchOtherGateways, type OtherGateways } from "./other-gateways.ts";
import { measureSecrets } from "./secrets.ts";
import { printFigures, writeGatewayReport } from "./report.ts";

const HELP = `Measures our gateway, a bare forwarder and gateways of others in turn.

  npm run bench:gateway                   about four minutes; writes apps/bench/GATEWAYS.md
  npm run bench:gateway -- --quick        half a minute; writes nothing

  --only toolwire,forwarder               these contenders only; writes nothing
  --compare FOLDER                        also measures our gateway as another checkout has it, which must be built, in
                                          turn with this one; writes nothing
  --rounds 7                              how often each contender is measured
  --json FILE                             also writes every figure of every round as JSON
  --help                                  shows this
`;

const USUAL: GatewayEffort = { rounds: 15, warmUpCalls: 30_000, warmUpMs: 20_000, settleMs: 100, windowMs: 400 };
const QUICK: GatewayEffort = { rounds: 3, warmUpCalls: 3000, warmUpMs: 2000, settleMs: 50, windowMs: 200 };

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      help: { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      compare: { type: "string" },
      rounds: { type: "string" },
      json: { type: "string" },
    },
  });
  if (values.help) {
    console.log(HELP);
    return;
  }
  const effort = {
    ...(values.quick ? QUICK : USUAL),
    ...(values.rounds !== undefined && { rounds: Number(values.rounds) }),
  };
  if (!Number.isInteger(effort.rounds) || effort.rounds < 1) throw new Error("--rounds takes a number, 1 or more.");
  const wanted = values.only?.split(",");
  const unknown = wanted?.filter((name) => !CONTENDERS.some((contender) => contender.name === name)) ?? [];
  if (unknown.length > 0) {
    const names = CONTENDERS.map(({ name }) => name).join(", ");
    throw new Error(`There is no contender ${unknown.join(", ")}. There are ${names}.`);
  }
  const isPartial = values.quick || wanted !== undefined || values.compare !== undefined;
  const secrets = wanted === undefined ? measureSecrets(effort.rounds) : [];
  const contenders = CONTENDERS.filter(({ name }) => wanted === undefined || wanted.includes(name));
  const figures = await run(values.compare === undefined ? contenders : withBefore(contenders, values.compare), effort);
  console.log(`${describeMachine(effort)}\n\n${printFigures(figures, secrets)}`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ effort, figures }, undefined, 2)}\n`);
  if (isPartial) return;
  writeFileSync(
    new URL("../../GATEWAYS.md", import.meta.url),
    writeGatewayReport(figures, describeMachine(effort), secrets),
  );
}

async function run(contenders: readonly Contender[], effort: GatewayEffort): Promise<Figures[]> {
  const start = performance.now();
  const site = await openSite(tryToFetch(contenders.map(({ name }) => name)));
  try {
    return await measureContenders(contenders, site, effort, (what) => {
      console.error(`${((performance.now() - start) / 1000).toFixed(0).padStart(4)} s  ${what}`);
    });
  } finally {
    await site.stop();
  }
}

/** Gateways of others are fetched over the network. Without one, the rest is measured. */
function tryToFetch(names: readonly string[]): OtherGateways | undefined {
  if (!names.includes("mcp-proxy") && !names.includes("supergateway")) return undefined;
  try {
    return fetchOtherGateways();
  } catch (error) {
    console.error((error as Error).message);
    return undefined;
  }
}

function describeMachine({ rounds }: GatewayEffort): string {
  const [cpu] = cpus();
  const pinning = isPinning()
    ? "gateways on one core, the load and what is behind them on another"
    : "nothing pinned, so that all compete for cores";
  return (
    `Measured on ${new Date().toISOString().slice(0, 10)}: ${cpu?.model.trim() ?? "unknown CPU"}, ${cpus().length} cores, ` +
    `${systemName()} ${release()}, Node ${process.versions.node}; ${pinning}; contenders interleaved, ratios within a round, ` +
    `median (and quartiles) of ${rounds} rounds.`
  );
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
