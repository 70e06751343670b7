import type { ServerView } from "../admin/views.ts";
import { ADMIN_HELP, ADMIN_OPTIONS, openAdmin } from "./admin-client.ts";
import type { Command } from "./command.ts";
import { plain, writeTable } from "./table.ts";

/** `tools`: the tools of a server that runs. */
export const tools: Command = {
  name: "tools",
  summary: "lists the tools of a server, and says which sources failed",
  help: `Usage: toolwire-gateway tools SLUG [--json]

Lists the tools of a server of a running gateway, with how much of each a model
has to read. Says on stderr which upstreams and documents failed, and why. Ends
with 1 if there is no tool because of that.

  --json              prints the tools as JSON, with their schemas
${ADMIN_HELP}`,
  options: { json: { type: "boolean" }, ...ADMIN_OPTIONS },
  positionals: [1, 1],
  async run(args, console) {
    const [slug = ""] = args.positionals;
    const admin = await openAdmin(args, console);
    const server = (await admin.send("GET", `servers/${encodeURIComponent(slug)}`)) as ServerView;
    const failures = describeFailures(server);
    if (args.values["json"] === true) console.print(JSON.stringify(server.tools));
    else if (server.tools.length > 0) console.print(writeTools(server));
    for (const line of failures) console.tell(line);
    if (server.tools.length > 0) return 0;
    if (failures.length === 0) console.tell(`The server ${slug} has no tools.`);
    return failures.length > 0 ? 1 : 0;
  },
};

function writeTools({ tools: listed }: ServerView): string {
  const rows = listed.map(({ name, status, source, tokens, description = "" }) => [
    plain(name),
    status,
    source,
    String(tokens),
    plain(description).slice(0, 80),
  ]);
  return writeTable(["TOOL", "STATUS", "SOURCE", "TOKENS", "DESCRIPTION"], rows);
}

/** Upstreams that failed, with the beginning of the reason, and the other problems of a server. */
function describeFailures({ upstreams, problems }: ServerView): string[] {
  const failed = upstreams.filter(({ state }) => state === "failed");
  // The reasons of upstreams are among the problems, too.
  const others = problems.filter((problem) => !failed.some(({ name }) => problem.includes(name)));
  return [
    ...failed.map(({ name, error = "" }) => `! The upstream ${plain(name)} failed: ${shorten(error)}`),
    ...others.map((problem) => `! ${shorten(problem)}`),
  ];
}

/** Upstreams that are programs have all of their stderr in their error. */
function shorten(text: string): string {
  const [line = "", ...more] = text.trim().split("\n");
  const rest = more.findLast((each) => each.trim() !== "") ?? "";
  const short = plain(`${line} ${rest}`).replaceAll(/ {2,}/g, " ").trim();
  return short.length > 300 ? `${short.slice(0, 300)} …` : short;
}
