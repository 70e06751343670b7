import type { LoginLinkView, LoginsView } from "../admin/views.ts";
import { ADMIN_HELP, ADMIN_OPTIONS, openAdmin } from "./admin-client.ts";
import { type Command, CommandError, textOption } from "./command.ts";
import { plain, writeTable } from "./table.ts";

/** `login`: logins at upstreams. */
export const login: Command = {
  name: "login",
  summary: "logs in at an upstream for all callers, or lists and ends logins",
  help: `Usage: toolwire-gateway login SLUG/UPSTREAM
         [--list | --end [--principal ID]] [--json]

Prints a link at which you log in for all callers of an upstream with
\`auth: { oauth: { shared: true } }\`. Open it in any browser that reaches the
gateway. It works once, for ten minutes.

  --list              lists who is logged in
  --end               ends the login that all callers share, or that of one caller
  --principal ID      the caller whose login is ended
  --json              prints JSON
${ADMIN_HELP}`,
  options: {
    list: { type: "boolean" },
    end: { type: "boolean" },
    principal: { type: "string" },
    json: { type: "boolean" },
    ...ADMIN_OPTIONS,
  },
  positionals: [1, 1],
  async run(args, console) {
    const [slug, name, ...others] = (args.positionals[0] ?? "").split("/");
    if (slug === undefined || name === undefined || slug === "" || name === "" || others.length > 0) {
      throw new CommandError("Name the upstream as SLUG/UPSTREAM, as in `login work/notes`.");
    }
    const { list, end, json } = args.values;
    const principal = textOption(args, "principal");
    if ((list === true && end === true) || (principal !== undefined && end !== true)) {
      throw new CommandError("Say either --list, or --end and perhaps --principal.");
    }
    const admin = await openAdmin(args, console);
    const path = `servers/${encodeURIComponent(slug)}/upstreams/${encodeURIComponent(name)}/logins`;
    if (end === true) {
      const query = principal === undefined ? "" : `?principal=${encodeURIComponent(principal)}`;
      await admin.send("DELETE", path + query);
      console.tell("The login is ended.");
    } else if (list === true) {
      const { logins } = (await admin.send("GET", path)) as LoginsView;
      const rows = logins.map((each) => [plain(each.principal ?? "(all)"), new Date(each.since).toISOString()]);
      console.print(json === true ? JSON.stringify(logins) : writeTable(["PRINCIPAL", "SINCE"], rows));
    } else {
      const link = (await admin.send("POST", path, {})) as LoginLinkView;
      console.print(json === true ? JSON.stringify(link) : link.url);
      console.tell("Open this link in a browser and log in. It works once, for ten minutes.");
    }
    return 0;
  },
};
