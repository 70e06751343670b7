import type { ServerView } from "../admin/views.ts";
import { ADMIN_HELP, ADMIN_OPTIONS, openAdmin } from "./admin-client.ts";
import type { Command } from "./command.ts";
import { plain, writeTable } from "./table.ts";

/** `tools`: the tools of a server that runs. */
export const tools: Command = {
  name: "tools",
  summary: "lists the tools of a server",
  help: `Usage: toolwire-gateway tools SLUG [--json] [--admin URL] [--token-file FILE]

Lists the tools of a server of a running gateway, with how much of each a model has to read.

  --json              prints the tools as JSON, with their schemas
${ADMIN_HELP}`,
  options: { json: { type: "boolean" }, ...ADMIN_OPTIONS },
  positionals: [1, 1],
  async run(args, console) {
    const [slug = ""] = args.positionals;
    const admin = await openAdmin(args, console);
    const server = (await admin.send("GET", `servers/${encodeURIComponent(slug)}`)) as ServerView;
    if (args.values["json"] === true) {
      console.print(JSON.stringify(server.tools));
      return 0;
    }
    const rows = server.tools.map(({ name, status, source, tokens, description = "" }) => [
      plain(name),
      status,
      source,
      String(tokens),
      plain(description).slice(0, 80),
    ]);
    console.print(writeTable(["TOOL", "STATUS", "SOURCE", "TOKENS", "DESCRIPTION"], rows));
    return 0;
  },
};
