/** Carries out a plan. */
import { availableParallelism, cpus, release, type as systemName } from "node:os";
import { measureAuthorization } from "./measure/authorization.ts";
import { measureClientBundles, measureServerBundles } from "./measure/bundle-size.ts";
import { raceClients, racePairs } from "./measure/client-race.ts";
import { type Growth, measureGrowth } from "./measure/growth.ts";
import { measureInstallations, readVersion } from "./measure/installed-size.ts";
import { measureMemory } from "./measure/memory.ts";
import type { Machine, Race, Results } from "./measure/results.ts";
import { type LoadProcess, ServerPool, startLoad } from "./measure/server-pool.ts";
import { raceServers } from "./measure/server-race.ts";
import { measureStartup } from "./measure/startup.ts";
import { measureTypeChecking } from "./measure/type-checking.ts";
import type { Plan } from "./plan.ts";
import { isPinning } from "./processes/pinning.ts";
import type { ServerScenario } from "./workload/scenario.ts";
import { shareSigningKey } from "./workload/token.ts";

/** Measures everything in a plan, and says what it is at. */
export async function runPlan(plan: Plan, report: (what: string) => void): Promise<Results> {
  shareSigningKey();
  const load = startLoad();
  try {
    const machine = describeMachine();
    const servers = await runServers(plan, load, report);
    const clients = await runClients(plan, report);
    return {
      date: new Date().toISOString().slice(0, 10),
      machine,
      effort: plan.effort,
      versions: readVersions(plan),
      servers,
      clients,
      ...(await runOthers(plan, load, report)),
      growth: await runGrowth(plan, load, report),
    };
  } finally {
    await load.stop();
  }
}

async function runServers(plan: Plan, load: LoadProcess, report: (what: string) => void): Promise<Race[]> {
  const races = new Map<string, Race>();
  const pool = new ServerPool(load);
  try {
    for (const scenario of groupByWiring(plan.servers)) {
      report(scenario.title);
      const { id, title, target } = scenario;
      const { effort } = plan;
      const outcomes =
        scenario.wiring.transport === "memory"
          ? await racePairs(scenario, plan.clientContenders, effort)
          : await raceServers(scenario, plan.contenders, effort, pool);
      races.set(id, { id, title, ...(target && { target }), outcomes });
    }
  } finally {
    await pool.stop();
  }
  return plan.servers.flatMap(({ id }) => races.get(id) ?? []);
}

/** Scenarios with the same wiring one after the other, so that servers are started and warmed up once for all of them. */
function groupByWiring(scenarios: readonly ServerScenario[]): ServerScenario[] {
  const groups = new Map<string, ServerScenario[]>();
  for (const scenario of scenarios) {
    const key = JSON.stringify(scenario.wiring);
    groups.set(key, [...(groups.get(key) ?? []), scenario]);
  }
  return [...groups.values()].flat();
}

async function runClients(plan: Plan, report: (what: string) => void): Promise<Race[]> {
  const races: Race[] = [];
  for (const scenario of plan.clients) {
    report(`client: ${scenario.title}`);
    const { id, title, target } = scenario;
    const outcomes = await raceClients(scenario, plan.clientContenders, plan.effort);
    races.push({ id, title, ...(target && { target }), outcomes });
  }
  return races;
}

async function runOthers(plan: Plan, load: LoadProcess, report: (what: string) => void): Promise<Partial<Results>> {
  const { others, contenders, effort } = plan;
  const measured: { -readonly [K in keyof Results]?: Results[K] } = {};
  if (others.has("authorization")) {
    report("authorization");
    measured.authorization = await measureAuthorization(effort, load);
  }
  if (others.has("startup")) {
    report("start-up");
    measured.startup = await measureStartup(effort.rounds);
  }
  if (others.has("memory")) {
    report("memory");
    measured.memory = await measureMemory(contenders, load);
  }
  if (others.has("bundle-size")) {
    report("bundle size");
    measured.serverBundles = await measureServerBundles();
    measured.clientBundles = await measureClientBundles();
  }
  if (others.has("installed-size")) {
    report("installed size");
    measured.installations = measureInstallations();
  }
  if (others.has("type-checking")) {
    report("type-checking");
    measured.typeChecking = measureTypeChecking(Math.min(effort.rounds, 3));
  }
  return measured;
}

async function runGrowth(plan: Plan, load: LoadProcess, report: (what: string) => void): Promise<Growth[]> {
  const plots: Growth[] = [];
  for (const id of plan.growth) {
    report(id);
    plots.push(await measureGrowth(id, plan.growthEffort, load));
  }
  return plots;
}

function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown CPU",
    cores: availableParallelism(),
    node: process.version.slice(1),
    system: `${systemName()} ${release().split(".", 2).join(".")}`,
    isPinned: isPinning(),
  };
}

function readVersions(plan: Plan): Record<string, string> {
  const versions: Record<string, string> = {};
  for (const { name, packages } of [...plan.contenders, ...plan.clientContenders]) {
    if (packages.length === 0) continue;
    const named = packages.map(
      (each) => `${each.replace(/^sdk-v1$/, "@modelcontextprotocol/sdk")} ${readVersion(each)}`,
    );
    versions[name] = [...new Set([...(versions[name]?.split(", ") ?? []), ...named])].join(", ");
  }
  return versions;
}
