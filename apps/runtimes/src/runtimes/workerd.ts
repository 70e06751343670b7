import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Guard } from "../fixture/guard.ts";
import type { Outcomes } from "../steps/outcomes.ts";
import { bundleWorker } from "../packed/bundle.ts";
import { firstMeaning, startProgram } from "./child.ts";
import type { ClientHost, Runtime, RunningServer } from "./runtime.ts";

/** Behaves as of this day, whatever the version (see "Compatibility dates" in its documentation). */
const COMPATIBILITY_DATE = "2026-07-28";

/** The addresses that a worker may reach: servers on this machine. */
const OUTBOUND = `globalOutbound = "loopback",`;

const OBJECT = [
  OUTBOUND,
  `durableObjectNamespaces = [(className = "Sessions", uniqueKey = "sessions")],`,
  `durableObjectStorage = (inMemory = void),`,
].join("\n      ");

const SESSIONS = `(name = "SESSIONS", durableObjectNamespace = "Sessions")`;

/** Where things are. */
export interface WorkerdPlaces {
  readonly binary: string;
  readonly version: string;
  /** The compiled programs. */
  readonly programs: string;
  /** Where bundles and configurations go. */
  readonly output: string;
}

interface RunningWorker extends RunningServer {
  readonly target: string;
}

/** Makes two runtimes of workerd: a worker by itself, and one that keeps everything in a Durable Object. */
export function workerdRuntimes(places: WorkerdPlaces): Runtime[] {
  const title = `workerd ${places.version}`;
  const worker = prepare(places, "worker", OUTBOUND, []);
  const object = prepare(places, "durable-object", OBJECT, [SESSIONS]);
  return [
    {
      title,
      name: "workerd",
      servers: { http: async (guard) => start(places, await worker(guard)) },
      clients: ["http", "websocket", "memory"],
      startClients: async () => clientHost(await start(places, await worker())),
    },
    {
      title: `${title}, Durable Object`,
      name: "workerd",
      servers: { http: async (guard) => start(places, await object(guard)) },
      clients: [],
      startClients: () => Promise.reject(new Error("Clients run in workers that are no objects.")),
    },
  ];
}

/** Bundles a program when it is first needed, and writes the configuration that is returned. */
function prepare(
  { programs, output }: WorkerdPlaces,
  program: string,
  settings: string,
  bindings: readonly string[],
): (guard?: Guard) => Promise<string> {
  const directory = join(output, program);
  let bundled: Promise<void> | undefined;
  let count = 0;
  return async (guard) => {
    await (bundled ??= bundleWorker(join(programs, `${program}.js`), join(directory, "worker.js")));
    count += 1;
    const file = join(directory, `config-${count}.capnp`);
    // A text of JSON is a text of Cap'n Proto.
    const text = guard && `(name = "GUARD", text = ${JSON.stringify(JSON.stringify(guard))})`;
    const all = text === undefined ? bindings : [...bindings, text];
    writeFileSync(file, configure(`${settings}\n      bindings = [${all.join(", ")}],`));
    return file;
  };
}

async function start({ binary }: WorkerdPlaces, config: string): Promise<RunningWorker> {
  const running = startProgram([binary, "serve", config, "--control-fd=3"], "control");
  const port = await firstMeaning(running, readPort);
  return { target: `http://127.0.0.1:${port}/mcp`, stop: () => running.stop() };
}

function clientHost({ target, stop }: RunningWorker): ClientHost {
  return {
    async run(task) {
      const response = await fetch(new URL("/task", target), { method: "POST", body: JSON.stringify(task) });
      return (await response.json()) as Outcomes;
    },
    stop,
  };
}

/** workerd says on its control pipe where it listens. */
function readPort(line: string): number | undefined {
  const { event, port } = JSON.parse(line) as { readonly event?: string; readonly port?: number };
  return event === "listen" ? port : undefined;
}

function configure(settings: string): string {
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "worker", worker = (
      modules = [(name = "worker", esModule = embed "worker.js")],
      compatibilityDate = "${COMPATIBILITY_DATE}",
      ${settings}
    )),
    (name = "loopback", network = (allow = ["local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")],
);
`;
}
