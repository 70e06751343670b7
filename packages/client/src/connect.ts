import type { TypedServer } from "@toolwire/protocol";
import { ERAS } from "./all-eras.ts";
import { readStores } from "./cache/user-stores.ts";
import { checkOptions, refuseUngrouped } from "./check-options.ts";
import { Client } from "./client.ts";
import type { ClientOptions, ConnectOptions } from "./options.ts";
import { findOlderHttp } from "./eras/era.ts";
import { RemoteServer } from "./remote-server.ts";
import { type ConnectTarget, type NoTransportOptions, toEndpoint } from "./target/endpoint.ts";
import type { MistakenTarget } from "./target/explain-target.ts";
import type { MethodsOf, PromptsOf, ToolsOf } from "./types.ts";

/**
 * Connects to a server by its URL (`http`, `https`, `ws`, `wss`), with options of the transport.
 *
 * Negotiates the newest revision that both sides speak. With the type of a server of your own, `connect<typeof
 * server>(…)`, the compiler checks the names, arguments and results of its tools, and the names and arguments of its
 * prompts. The methods that extensions of the server add are checked as well.
 */
export async function connect<S extends TypedServer = TypedServer>(
  url: string | URL,
  options: ConnectOptions | undefined,
): Promise<Client<ToolsOf<S>, PromptsOf<S>, MethodsOf<S>>>;
/**
 * Connects to a server: by URL (`http`, `https`, `ws`, `wss`), by a command to start (in Node), or over a transport.
 *
 * Negotiates the newest revision that both sides speak. With the type of a server of your own, `connect<typeof
 * server>(…)`, the compiler checks the names, arguments and results of its tools, and the names and arguments of its
 * prompts. The methods that extensions of the server add are checked as well.
 */
export async function connect<S extends TypedServer = TypedServer>(
  target: ConnectTarget | MistakenTarget,
  options?: ClientOptions & NoTransportOptions,
): Promise<Client<ToolsOf<S>, PromptsOf<S>, MethodsOf<S>>>;
export async function connect(
  target: ConnectTarget | MistakenTarget,
  options?: ConnectOptions | (ClientOptions & NoTransportOptions),
): Promise<Client> {
  // A copy, because programs in JavaScript may pass `null`.
  const given = { ...(options as ConnectOptions | undefined) };
  refuseUngrouped(given);
  checkOptions(given);
  checkOptions({ ...given.http });
  checkOptions({ ...given.websocket });
  Object.assign(given, readStores(given));
  const server = new RemoteServer(toEndpoint(target as ConnectTarget, given, findOlderHttp(ERAS)), ERAS, given);
  await server.connect();
  return new Client(server);
}
