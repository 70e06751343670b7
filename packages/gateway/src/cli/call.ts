import type { ServerView, TryView } from "../admin/views.ts";
import { suggest } from "../admin/http/suggest.ts";
import { ADMIN_HELP, ADMIN_OPTIONS, type AdminClient, openAdmin } from "./admin-client.ts";
import { isPair, readJsonArguments, readPairs } from "./calling/read-arguments.ts";
import { type Command, type CommandArguments, CommandError, CommandFailure, type Console } from "./command.ts";

/** `call`: calls a tool of a server that runs. */
export const call: Command = {
  name: "call",
  summary: "calls a tool, with all seven steps",
  help: `Usage: toolwire-gateway call SLUG TOOL [NAME=VALUE …] [--json]
       toolwire-gateway call SLUG TOOL JSON | - [--json]

Calls a tool of a running gateway as its callers do, and prints the text of the
result. Ends with 1 if the tool failed. The call is in the call log, as made by
\`admin\`. Arguments are one of

  city=Oslo days=3    values by the types that the tool's schema has; a name that
                      is there several times is a list; a.b=1 is {"a":{"b":1}}
  limits:='[1,2]'     JSON, whatever the schema says
  '{"city":"Oslo"}'   all arguments as one JSON object; - reads it from stdin

  --json              prints the whole result as JSON
${ADMIN_HELP}`,
  options: { json: { type: "boolean" }, ...ADMIN_OPTIONS },
  positionals: [2, Infinity],
  async run(args, console) {
    const [slug = "", tool = "", ...given] = args.positionals;
    const read = await prepareArguments(given, console);
    const admin = await openAdmin(args, console);
    const path = `servers/${encodeURIComponent(slug)}/tools/${encodeURIComponent(tool)}/try`;
    const { result } = (await admin.send("POST", path, { arguments: await read(admin, slug, tool) })) as TryView;
    print(result, args, console);
    return result.isError === true ? 1 : 0;
  },
};

/** Reads what can be read without the gateway, so that a mistake is found before it is asked. */
async function prepareArguments(
  given: readonly string[],
  console: Console,
): Promise<(admin: AdminClient, slug: string, tool: string) => Promise<object>> {
  const [first = "{}", second] = given;
  if (isPair(first)) return async (admin, slug, tool) => readPairs(given, await readSchema(admin, slug, tool));
  if (second !== undefined) throw new CommandError(`${JSON.stringify(second)} is one argument too many.`);
  const parsed = readJsonArguments(first === "-" ? await console.readInput() : first);
  return () => Promise.resolve(parsed);
}

/** The schema of a tool's arguments, which says what the texts of a command line are. */
async function readSchema(
  admin: AdminClient,
  slug: string,
  tool: string,
): Promise<{ readonly [keyword: string]: unknown }> {
  const { tools } = (await admin.send("GET", `servers/${encodeURIComponent(slug)}`)) as ServerView;
  const found = tools.find(({ name }) => name === tool);
  if (found !== undefined) return found.inputSchema as { readonly [keyword: string]: unknown };
  const names = tools.map(({ name }) => name);
  throw new CommandFailure(
    `The server ${JSON.stringify(slug)} has no tool ${JSON.stringify(tool)}.${suggest(tool, names)}`,
  );
}

function print(result: TryView["result"], { values }: CommandArguments, console: Console): void {
  if (values["json"] === true) console.print(JSON.stringify(result));
  else for (const block of result.content) console.print("text" in block ? block.text : JSON.stringify(block));
}
