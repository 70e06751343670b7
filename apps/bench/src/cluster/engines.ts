/** The engines that run for the whole benchmark, on the core of the load. */
import { readdirSync, readFileSync } from "node:fs";
import { findPostgres, findRedis, startPostgres, startRedis } from "@toolwire/engines";
import pg from "pg";
import { createClient } from "redis";
import { pinProcess } from "../processes/pinning.ts";
import type { EngineAddress, EngineName } from "./wiring.ts";

/** The engines that could be started, and why others could not. */
export interface RunningEngines {
  /** Why nothing can be measured with an engine; `undefined` if it can. */
  reasonWithout(engine: EngineName | undefined): string | undefined;
  /** Where an engine is, with a space of its own: two clusters with different addresses do not meet. */
  addressOf(engine: EngineName): EngineAddress;
  /** The processes of an engine at this moment; none for the one in memory. */
  pidsOf(engine: EngineName | undefined): readonly number[];
  /** How much an engine keeps, in bytes, as it says itself. */
  readBytes(engine: EngineName): Promise<number>;
  /** How many bytes it has received and sent, if it counts them. */
  readTraffic(engine: EngineName): Promise<number | undefined>;
  /** What runs, for the report. */
  readonly versions: string;
  stop(): Promise<void>;
}

/** An engine that is a process of its own. */
interface Running {
  readonly url: string;
  readonly version: string;
  listPids(): readonly number[];
  readBytes(): Promise<number>;
  readTraffic?(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts engines. One that this machine does not have is left out. */
export async function startEngines(): Promise<RunningEngines> {
  const running = new Map<EngineName, Running>();
  const reasons = new Map<EngineName, string>();
  for (const [name, start] of [
    ["redis", runRedis],
    ["postgres", runPostgres],
  ] as const) {
    try {
      running.set(name, await start());
    } catch (error) {
      reasons.set(name, error instanceof Error ? error.message : String(error));
    }
  }
  let spaces = 0;
  return {
    versions: [...running.values()].map(({ version }) => version).join(", "),
    reasonWithout: (engine) => engine && reasons.get(engine),
    addressOf(name) {
      spaces += 1;
      const { url } = running.get(name) ?? {};
      return url === undefined ? { name } : { name, url, space: `bench${spaces}` };
    },
    pidsOf: (engine) => (engine === undefined ? [] : (running.get(engine)?.listPids() ?? [])),
    readBytes: (engine) => running.get(engine)?.readBytes() ?? Promise.resolve(0),
    readTraffic: async (engine) => running.get(engine)?.readTraffic?.(),
    async stop() {
      await Promise.all([...running.values()].map((engine) => engine.stop()));
    },
  };
}

async function runRedis(): Promise<Running> {
  const found = findRedis();
  if (found === undefined) throw new Error("There is no redis-server.");
  const server = await startRedis(found.program);
  const client = createClient({ url: server.url });
  await client.connect();
  const read = async (section: string, field: string): Promise<number> => {
    const [, value = "0"] = new RegExp(`^${field}:(\\d+)`, "m").exec(await client.info(section)) ?? [];
    return Number(value);
  };
  const pid = await read("server", "process_id");
  pinProcess("load", pid);
  return {
    url: server.url,
    version: `Redis ${/v=([\d.]+)/.exec(found.version)?.[1] ?? found.version}`,
    listPids: () => [pid],
    readBytes: () => read("memory", "used_memory"),
    readTraffic: async () =>
      (await read("stats", "total_net_input_bytes")) + (await read("stats", "total_net_output_bytes")),
    async stop() {
      client.destroy();
      await server.close();
    },
  };
}

async function runPostgres(): Promise<Running> {
  const found = findPostgres();
  const server = await startPostgres(found.bin);
  const pool = new pg.Pool({ connectionString: server.url, max: 1 });
  // The engine is stopped before its client is.
  pool.on("error", () => {});
  const ask = async (query: string): Promise<number> => {
    const { rows } = await pool.query<{ readonly value: string }>(query);
    return Number(rows[0]?.value ?? 0);
  };
  const first = parentOf(await ask("select pg_backend_pid() as value"));
  for (const pid of [first, ...childrenOf(first)]) pinProcess("load", pid);
  return {
    url: server.url,
    version: `Postgres ${/\d[\d.]*/.exec(found.version)?.[0] ?? found.version}`,
    listPids: () => [first, ...childrenOf(first)],
    readBytes: () =>
      ask(
        "select coalesce(sum(pg_total_relation_size(c.oid)), 0) as value from pg_class c " +
          "join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'r' and n.nspname like 'bench%'",
      ),
    async stop() {
      await pool.end();
      await server.close();
    },
  };
}

/** Every connection to Postgres has a process, whose parent is the first one. Linux says which; elsewhere there are none to be measured. */
function parentOf(pid: number): number {
  try {
    const [, parent = "0"] = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return Number(parent);
  } catch {
    return 0;
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "latin1").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}
