import { connect, type Client, type ClientOptions } from "@toolwire/client";
import type { Message, RequestId, ResponseMessage } from "@toolwire/protocol";
import { onTestFinished } from "vitest";
import { isCall, legacyServer, type Script, type ScriptedServer } from "../../scripted-server.ts";

/** A client of the legacy era alone and a scripted server of 2025-11-25, connected for the length of one test. */
export async function connected(
  script: Script = {},
  options: ClientOptions = {},
): Promise<{ server: ScriptedServer; client: Client }> {
  const server = legacyServer(script);
  const client = await connect(server.channel, { era: "legacy", onDiagnostic: () => {}, ...options });
  onTestFinished(() => client.close());
  await server.arrival(isCall("notifications/initialized"));
  return { server, client };
}

/** The same with one server after another, each as the one before is lost. */
export async function connectedInTurn(
  servers: readonly ScriptedServer[],
  options: ClientOptions = {},
): Promise<Client> {
  let next = 0;
  const client = await connect(() => servers[next++]!.channel, {
    era: "legacy",
    onDiagnostic: () => {},
    reconnect: { delay: 1, maxDelay: 1 },
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

/** The answer to `initialize` of a server with these capabilities. */
export function initialized(capabilities: object): object {
  return { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "legacy", version: "1.0.0" } };
}

/** The methods that a server was sent, in order; of a response, that it is one. */
export function methodsOf(messages: readonly Message[]): string[] {
  return messages.map((message) => ("method" in message ? message.method : "response"));
}

/** All responses to requests with an id. */
export function responsesTo(server: ScriptedServer, id: RequestId): ResponseMessage[] {
  return server.received.filter((message): message is ResponseMessage => !("method" in message) && message.id === id);
}
