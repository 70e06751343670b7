import type { KeysView, NewKeyView } from "../admin/views.ts";
import { DURATION_FORM, readDuration } from "../config/durations.ts";
import { ADMIN_HELP, ADMIN_OPTIONS, type AdminClient, openAdmin } from "./admin-client.ts";
import { type Command, type CommandArguments, CommandError, type Console, textOption, textsOption } from "./command.ts";
import { plain, writeTable } from "./table.ts";

/** `key`: the API keys that open the servers of a gateway. */
export const key: Command = {
  name: "key",
  summary: "makes, lists and revokes API keys",
  help: `Usage: toolwire-gateway key create NAME [--server SLUG …] [--principal ID]
         [--expires DURATION]
       toolwire-gateway key list [--json]
       toolwire-gateway key revoke ID

API keys open the servers of a running gateway: \`Authorization: Bearer twk_…\` or
\`X-Api-Key: twk_…\`. \`create\` prints the key once; nobody can read it afterwards.
A revoked key is refused from then on, by all gateways on the same database.

A server that only this machine can reach asks for no key, and does not look at
one, unless its configuration says \`auth: { apiKeys: true }\`.

  --server SLUG       the key opens this server only; may be repeated; default:
                      all servers
  --principal ID      whose key it is, for limits, access rules and secrets of
                      single callers; default: the id of the key
  --expires DURATION  ${DURATION_FORM}; default: never
  --json              prints JSON
${ADMIN_HELP}`,
  options: {
    server: { type: "string", multiple: true },
    principal: { type: "string" },
    expires: { type: "string" },
    json: { type: "boolean" },
    ...ADMIN_OPTIONS,
  },
  positionals: [1, 2],
  async run(args, console) {
    const [verb = "", subject] = args.positionals;
    const action = { create, revoke, list }[verb];
    if (action === undefined || (action === list) !== (subject === undefined)) {
      throw new CommandError("Say `key create NAME`, `key list` or `key revoke ID`.");
    }
    await action({ admin: await openAdmin(args, console), subject: subject ?? "", args, console });
    return 0;
  },
};

/** One use of the command. */
interface Use {
  readonly admin: AdminClient;
  readonly subject: string;
  readonly args: CommandArguments;
  readonly console: Console;
}

async function create({ admin, subject: name, args, console }: Use): Promise<void> {
  const expires = textOption(args, "expires");
  const duration = expires === undefined ? undefined : readDuration(expires);
  if (expires !== undefined && duration === undefined) throw new CommandError(`--expires must be ${DURATION_FORM}.`);
  const made = (await admin.send("POST", "keys", {
    name,
    servers: textsOption(args, "server"),
    principal: textOption(args, "principal"),
    expiresAt: duration === undefined ? undefined : Date.now() + duration,
  })) as NewKeyView;
  if (args.values["json"] === true) console.print(JSON.stringify(made));
  else {
    console.print(made.secret);
    console.tell(`This is the only time that the key is shown. Its id is ${made.key.id}.`);
  }
}

async function revoke({ admin, subject: id, console }: Use): Promise<void> {
  await admin.send("DELETE", `keys/${encodeURIComponent(id)}`);
  console.tell(`The key ${id} is revoked.`);
}

async function list({ admin, args, console }: Use): Promise<void> {
  const { keys } = (await admin.send("GET", "keys")) as KeysView;
  const rows = keys.map(({ id, name, prefix, principal, servers, expiresAt, lastUsedAt }) => [
    id,
    plain(name),
    `${prefix}…`,
    plain(principal ?? id),
    servers?.join(",") ?? "all",
    writeTime(expiresAt),
    writeTime(lastUsedAt),
  ]);
  const table = writeTable(["ID", "NAME", "KEY", "PRINCIPAL", "SERVERS", "EXPIRES", "LAST USED"], rows);
  console.print(args.values["json"] === true ? JSON.stringify(keys) : table);
}

function writeTime(time: number | undefined): string {
  return time === undefined ? "never" : new Date(time).toISOString().slice(0, 16);
}
