import type { TryView } from "../admin/views.ts";
import { ADMIN_HELP, ADMIN_OPTIONS, openAdmin } from "./admin-client.ts";
import { type Command, CommandError } from "./command.ts";

/** `call`: calls a tool of a server that runs. */
export const call: Command = {
  name: "call",
  summary: "calls a tool, with all seven steps",
  help: `Usage: toolwire-gateway call SLUG TOOL [ARGUMENTS] [--json] [--admin URL] [--token-file FILE]

Calls a tool of a running gateway as its callers do, and prints the text of the result. ARGUMENTS is a JSON object such as
'{"city":"London"}'; "-" reads it from stdin. Ends with 1 if the tool failed. The call is in the call log, as made by \`admin\`.

  --json              prints the whole result as JSON
${ADMIN_HELP}`,
  options: { json: { type: "boolean" }, ...ADMIN_OPTIONS },
  positionals: [2, 3],
  async run(args, console) {
    const [slug = "", tool = "", given = "{}"] = args.positionals;
    const parsed = parseArguments(given === "-" ? await console.readInput() : given);
    const admin = await openAdmin(args, console);
    const path = `servers/${encodeURIComponent(slug)}/tools/${encodeURIComponent(tool)}/try`;
    const { result } = (await admin.send("POST", path, { arguments: parsed })) as TryView;
    if (args.values["json"] === true) console.print(JSON.stringify(result));
    else for (const block of result.content) console.print("text" in block ? block.text : JSON.stringify(block));
    return result.isError === true ? 1 : 0;
  },
};

function parseArguments(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CommandError(`ARGUMENTS must be JSON: ${(error as Error).message}`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new CommandError(`ARGUMENTS must be a JSON object such as '{"city":"London"}'.`);
}
