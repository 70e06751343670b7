import { UsageError } from "@toolwire/server";
import { dirname, resolve } from "node:path";
import type { GatewayConfig } from "../config/config.ts";
import { loadConfigFile, type LoadedConfig, sourcesOf } from "../config/load-config.ts";
import { type ConfigProblem, isUsable, sortProblems } from "../config/problem.ts";
import { startGateway } from "../create-gateway.ts";
import { inspectServers, type Inspection } from "../servers/inspect-servers.ts";
import { openMemoryStorage } from "../storage/memory-storage.ts";
import { connectUpstreams } from "./check-upstreams.ts";
import { countProblems, describeServer, type ServerSummary, tellProblems, writeServer } from "./check-output.ts";
import type { Command, Console } from "./command.ts";

/** `check`: everything that is wrong with a configuration, and the servers that it makes. */
export const check: Command = {
  name: "check",
  summary: "says what is wrong with a configuration file, and what it serves",
  help: `Usage: toolwire-gateway check FILE [--connect] [--verbose] [--json]

Reads a configuration, fills in references to the environment and to files,
reads OpenAPI documents, and prints every problem with its line and column:
errors first, then warnings. Ends with 1 if there is an error. If the file can
be used, lists its servers with their tools, and how much a model has to read.

  --connect   starts and connects to upstreams, and checks their tools, too;
              not those with secrets, or with a connection for each caller
  --verbose   lists all tools, and all operations that are none
  --json      prints one JSON object`,
  options: { connect: { type: "boolean" }, verbose: { type: "boolean" }, json: { type: "boolean" } },
  positionals: [1, 1],
  async run({ positionals, values }, console) {
    const [file = ""] = positionals;
    const { problems, servers } = await examine(file, console, values["connect"] === true);
    const { errors, warnings } = countProblems(problems);
    if (values["json"] === true) {
      console.print(JSON.stringify({ ok: errors === 0, errors, warnings, problems, servers }));
    } else {
      tellProblems(problems, console);
      for (const server of servers) console.print(writeServer(server, values["verbose"] === true));
    }
    return errors === 0 ? 0 : 1;
  },
};

/** What is known about a configuration file. */
interface Findings {
  readonly problems: readonly ConfigProblem[];
  /** Empty if the file cannot be used. */
  readonly servers: readonly ServerSummary[];
}

async function examine(file: string, console: Console, connects: boolean): Promise<Findings> {
  const loaded = await loadConfigFile(file, console.env);
  if (loaded.sound === undefined) return { problems: loaded.problems, servers: [] };
  const folder = dirname(resolve(file));
  const storage = openMemoryStorage();
  const inspection = await inspectServers(loaded.sound, sourcesOf(folder, console.env), storage);
  try {
    const started = await start(loaded, inspection, folder, console, storage, connects);
    // What others answer may repeat what they were sent.
    const found = [...inspection.problems, ...started.problems].map((problem) =>
      loaded.locate({ ...problem, message: storage.redactor.redact(problem.message) }),
    );
    return { problems: sortProblems([...loaded.problems, ...found]), servers: started.servers };
  } finally {
    await inspection.close();
    await storage.close();
  }
}

/** Starts a gateway on a port that nobody knows, to see that it starts. It reads no document again, and keeps nothing. */
async function start(
  { config }: LoadedConfig,
  { contents, problems }: Inspection,
  folder: string,
  { env }: Console,
  storage: ReturnType<typeof openMemoryStorage>,
  connects: boolean,
): Promise<Findings> {
  if (config === undefined || !isUsable(problems)) return { problems: [], servers: [] };
  const options = { folder, env, storage, host: "127.0.0.1", port: 0, isChecked: true };
  try {
    const gateway = await startGateway(withoutOthers(config), options, async (slug) => contents.get(slug)!);
    try {
      return {
        problems: connects ? await connectUpstreams(gateway) : [],
        servers: gateway.servers().map((server) => describeServer(server, contents.get(server.slug)!)),
      };
    } finally {
      await gateway.close();
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { problems: [{ severity: "error", path: [], message: error.message }], servers: [] };
  }
}

/** A configuration of a gateway for itself alone: nothing is started, and no engine is connected, to see what is served. */
function withoutOthers({ cluster: _cluster, listen = {}, ...config }: GatewayConfig): GatewayConfig {
  const { workers: _workers, ...place } = listen;
  return { ...config, listen: place, admin: false };
}
