// Our own client. Its mode is an era or a revision to insist on; without any, it finds out.

import { connect, type ClientOptions } from "@toolwire/client";
import { isRevision } from "@toolwire/protocol";
import { readAnswer, readMessages, textOf, type Driver } from "../steps/driver.ts";
import { ANSWER } from "../steps/script.ts";
import { commandOf, runTask, urlOf, type ClientTask } from "./task.ts";

await runTask(async (task): Promise<Driver> => {
  const client = await connect(task.transport === "stdio" ? commandOf(task) : urlOf(task), optionsFor(task));
  const collect = async <T, R>(items: AsyncIterable<T>, pick: (item: T) => R): Promise<R[]> => {
    const picked: R[] = [];
    for await (const item of items) picked.push(pick(item));
    return picked;
  };
  return {
    canAnswer: true,
    listTools: () => collect(client.allTools(), ({ name }) => name),
    listResources: () => collect(client.allResources(), ({ uri }) => uri),
    listPrompts: () => collect(client.allPrompts(), ({ name }) => name),
    callTool: async (name, args, { signal, onProgress } = {}) =>
      readAnswer(await client.callTool(name, args, { signal, onProgress })),
    readResource: async (uri) => textOf((await client.readResource(uri)).contents),
    getPrompt: async (name, args) => readMessages(await client.getPrompt(name, args)),
    close: () => client.close(),
  };
});

function optionsFor({ mode }: ClientTask): ClientOptions {
  return {
    info: { name: "interop", version: "1.0.0" },
    // supergateway rejects a second handshake while it is connecting. With the default, results would depend on its start-up time.
    probeTimeout: 20_000,
    elicitation: () => ({ action: "accept", content: { name: ANSWER } }),
    ...(mode === "legacy" && { era: mode }),
    ...(mode !== undefined && isRevision(mode) && { revision: mode }),
  };
}
