// A client on the runtime of mcporter, which its command line and its generated clients are built on.

import { readAnswer, textOf, type Driver } from "../steps/driver.ts";
import { importFetched } from "../fetched/import-fetched.ts";
import { commandOf, runTask, urlOf } from "./task.ts";

interface Mcporter {
  readonly createRuntime: (options: object) => Promise<McporterRuntime>;
}

interface McporterRuntime {
  listTools(server: string, options: object): Promise<{ readonly name: string }[]>;
  callTool(server: string, tool: string, options: object): Promise<object>;
  listResources(server: string): Promise<{ readonly resources: readonly { readonly uri: string }[] }>;
  readResource(server: string, uri: string): Promise<{ readonly contents: unknown }>;
  close(): Promise<void>;
}

/** mcporter cannot cancel calls, but it has time limits. */
const LIMIT_MS = 200;

await runTask(async (task): Promise<Driver> => {
  const { createRuntime } = await importFetched<Mcporter>("mcporter");
  const command =
    task.transport === "stdio"
      ? { kind: "stdio", ...commandOf(task), cwd: process.cwd() }
      : { kind: "http", url: urlOf(task) };
  const runtime = await createRuntime({ servers: [{ name: "ours", command }] });
  return {
    canAnswer: false,
    listTools: async () => (await runtime.listTools("ours", { includeSchema: true })).map(({ name }) => name),
    listResources: async () => (await runtime.listResources("ours")).resources.map(({ uri }) => uri),
    callTool: async (name, args, { signal } = {}) =>
      readAnswer(await runtime.callTool("ours", name, { args, ...(signal && { timeoutMs: LIMIT_MS }) })),
    readResource: async (uri) => textOf((await runtime.readResource("ours", uri)).contents),
    close: () => runtime.close(),
  };
});
