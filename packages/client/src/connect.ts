import type { TypedServer } from "@toolwire/protocol";
import { openers } from "#openers";
import { Client } from "./client.ts";
import { refusalOf } from "./check-options.ts";
import type { ConnectOptions } from "./options.ts";
import { Session } from "./session.ts";
import { toEndpoint, type ConnectTarget } from "./target/endpoint.ts";
import type { MistakenTarget } from "./target/explain-target.ts";
import type { PromptsOf, ToolsOf } from "./types.ts";

/**
 * Connects to a server: by URL (`http`, `https`, `ws`, `wss`), by a command to start (in Node), or over a transport.
 *
 * Negotiates the newest revision that both sides speak. With the type of a server of your own, `connect<typeof
 * server>(…)`, the compiler checks the names, arguments and results of its tools, and the names and arguments of its
 * prompts.
 */
export async function connect<S extends TypedServer = TypedServer>(
  target: ConnectTarget | MistakenTarget,
  options: ConnectOptions = {},
): Promise<Client<ToolsOf<S>, PromptsOf<S>>> {
  // A copy, because whoever writes JavaScript may have given `null`.
  const given = { ...options };
  await refusalOf(given);
  if (given.memory || given.cache) Object.assign(given, (await import("./parts/later.ts")).readStores(given));
  const session = new Session(toEndpoint(target as ConnectTarget, given, openers), given);
  await session.connect();
  return new Client(session);
}
