/** Entry point of a server process: `server.js WIRING`, where the wiring is JSON. */
import cluster from "node:cluster";
import { createServer, resource, type Server, tool } from "@toolwire/server";
import type { Cluster } from "@toolwire/server/cluster";
import { serveHttp, type ServeHttpOptions } from "@toolwire/server/http";
import { z } from "zod";
import { answerCommands } from "../processes/commands.ts";
import { type MemoryUse, readMemory } from "../processes/memory.ts";
import { echoTool } from "../workload/tools.ts";
import { echoInput } from "../workload/zod-schemas.ts";
import { createJoin } from "./join.ts";
import { createObserver } from "./observer.ts";
import { ITEM_URI, type Wiring } from "./wiring.ts";

/** The commands of a server process. */
export interface ServerCommands {
  /** Where sessions are opened, and where calls are sent. */
  ports(argument: undefined): { readonly opening: number; readonly calling: number };
  /** The processes that work for this server. */
  pids(argument: undefined): readonly number[];
  memory(argument: undefined): MemoryUse;
}

const MANY_SESSIONS = 100_000;

const [text = "{}"] = process.argv.slice(2);
const wiring = JSON.parse(text) as Wiring;

/** All nodes of a process serve the same definition, each with a server of its own, as processes do. */
function defineServer(): Server {
  const server = createServer({
    name: "bench",
    version: "1.0.0",
    // Sealed session ids take a key that all processes know.
    ...(wiring.sessions === "sealed" && { stateKey: "0123456789abcdef0123456789abcdef" }),
    ...(wiring.telemetry !== undefined && { observe: createObserver(wiring.telemetry) }),
    tools: {
      echo: tool({ description: echoTool.description, input: echoInput, run: async ({ text: given }) => given }),
      ask: tool({
        description: "Asks the user for a word, and returns it",
        async run(_given, ctx) {
          const { word } = await ctx.elicit("word", { message: "Which word?", schema: z.object({ word: z.string() }) });
          return word;
        },
      }),
      change: tool({
        description: "Tells all who watch the item that it has changed",
        run() {
          server.resources.updated(ITEM_URI);
          return "changed";
        },
      }),
    },
    resources: { item: resource({ uri: ITEM_URI, read: () => "" }) },
  });
  return server;
}

function listen(joined: Cluster | undefined, max: number): Promise<{ readonly port: number }> {
  const options: ServeHttpOptions = {
    port: 0,
    responseMode: wiring.answers === "json" ? "auto" : "sse",
    ...(joined !== undefined && { cluster: joined }),
    ...(wiring.workers !== undefined && { workers: wiring.workers }),
    legacy: { sessions: readSessions(max) },
  };
  return serveHttp(defineServer(), options);
}

function readSessions(max: number): Exclude<ServeHttpOptions["legacy"], false | undefined>["sessions"] {
  if (wiring.sessions === "none") return false;
  return wiring.sessions === "sealed" ? { sealed: true } : { max, maxPerClient: MANY_SESSIONS };
}

const join = wiring.engine === undefined ? undefined : createJoin(wiring.engine);
const calling = await listen(await join?.(), wiring.second === "forgetful" ? 1 : MANY_SESSIONS);
const opening = wiring.second === undefined ? calling : await listen(await join?.(), MANY_SESSIONS);

// Workers run this file, too, and have a channel to their first process only.
if (cluster.isPrimary) {
  answerCommands<ServerCommands>({
    ports: () => ({ opening: opening.port, calling: calling.port }),
    pids: () => [process.pid, ...Object.values(cluster.workers ?? {}).flatMap((worker) => worker?.process.pid ?? [])],
    memory: readMemory,
  });
}
