import { connect, type Client } from "@toolwire/client";
import { createServer, jsonSchema, tool, type ToolDefinition } from "@toolwire/server";
import { serveInMemory } from "@toolwire/server/memory";
import { searchTools, type ToolProvider } from "@toolwire/server/search";
import type { Mode, Step, Task, TaskTool, Transcript } from "./task.ts";

/** The most that a model asks for if what it wants is not among the first. */
const MORE = 20;

/** All tools in one list. */
export const TOOLS_MODE: Mode = {
  title: "tools",
  run(task, tools) {
    const definitions = Object.fromEntries(
      tools.map((each): [string, ToolDefinition] => [
        each.name,
        tool({
          title: each.title,
          description: each.description,
          annotations: each.annotations,
          input: jsonSchema<object>(each.inputSchema as never),
          run: () => answerOf(task, each),
        }),
      ]),
    );
    return record(definitions, async (recorder) => {
      for (const step of task.steps) await recorder.call(toolOf(step, tools).name, step.args);
    });
  },
};

/** Three tools that find, describe and call the others. */
export const SEARCH_MODE: Mode = {
  title: "search",
  run(task, tools) {
    const provider: ToolProvider = {
      list: () => tools,
      call: (name) =>
        answerOf(
          task,
          tools.find((each) => each.name === name)!,
        ),
    };
    return record({ ...searchTools(provider) }, async (recorder) => {
      for (const step of task.steps) await findAndCall(recorder, step, toolOf(step, tools));
    });
  },
};

/** Searches, reads the schema if the line of the search does not tell all arguments, and calls. */
async function findAndCall(recorder: Recorder, step: Step, wanted: TaskTool): Promise<void> {
  const { query } = step;
  let found = await search(recorder, { query }, wanted);
  found ??= await search(recorder, { query, limit: MORE }, wanted);
  if (found === undefined) throw new Error(`"${query}" does not find ${wanted.name}.`);
  const isTold = Object.keys(step.args).every((name) => isTypeTold(found.arguments, name));
  if (!isTold) await recorder.call("describe_tool", { name: wanted.name });
  await recorder.call("call_tool", { name: wanted.name, arguments: step.args });
}

/** Whether a line of arguments has a type for an argument. */
function isTypeTold(line: string, name: string): boolean {
  const type = new RegExp(`[{,] "?${name}"?\\??: ([^,}]+)`).exec(line)?.[1];
  return type !== undefined && !/\bany\b|…/.test(type);
}

interface FoundEntry {
  readonly name: string;
  readonly arguments: string;
}

async function search(recorder: Recorder, args: object, wanted: TaskTool): Promise<FoundEntry | undefined> {
  const text = await recorder.call("search_tools", args);
  return text.startsWith("[") ? (JSON.parse(text) as FoundEntry[]).find(({ name }) => name === wanted.name) : undefined;
}

/** Writes down what a model would read and write. */
interface Recorder {
  /** Calls a tool, and returns the text of its result. */
  call(name: string, args: object): Promise<string>;
}

async function record(
  tools: { readonly [name: string]: ToolDefinition },
  run: (recorder: Recorder) => Promise<void>,
): Promise<Transcript> {
  const server = createServer({ name: "measured", version: "1.0.0", tools: { ...tools } });
  await using client: Client = await connect(serveInMemory(server));
  const listed: object[] = [];
  for await (const each of client.allTools()) listed.push(each);
  const calls: { written: string; read: string }[] = [];
  await run({
    async call(name, args) {
      const result = await client.callTool(name, args as never);
      const [block] = result.content as readonly { readonly text: string }[];
      if (result.isError === true) throw new Error(`${name}: ${block?.text}`);
      calls.push({ written: JSON.stringify({ name, arguments: args }), read: block!.text });
      return block!.text;
    },
  });
  return { listed: JSON.stringify(listed), calls };
}

function toolOf({ source, key }: Step, tools: readonly TaskTool[]): TaskTool {
  const found = tools.find((each) => each.source === source && each.key === key);
  if (found === undefined) throw new Error(`${source} has no ${key}.`);
  return found;
}

function answerOf({ steps }: Task, { source, key }: TaskTool): string {
  return JSON.stringify(steps.find((step) => step.source === source && step.key === key)?.answer ?? {});
}
