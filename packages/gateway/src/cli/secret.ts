import type { SecretView } from "../admin/views.ts";
import { ADMIN_HELP, ADMIN_OPTIONS, type AdminClient, openAdmin } from "./admin-client.ts";
import { type Command, type CommandArguments, CommandError, type Console, textOption } from "./command.ts";
import { plain, writeTable } from "./table.ts";

/** `secret`: the sealed values that credentials refer to. */
export const secret: Command = {
  name: "secret",
  summary: "sets, lists, removes and seals secrets anew",
  help: `Usage: toolwire-gateway secret set NAME [--principal ID]   (value from stdin)
       toolwire-gateway secret list [--json]
       toolwire-gateway secret remove NAME [--principal ID]
       toolwire-gateway secret rotate

Secrets are what \${secret:NAME} in a configuration refers to. They are sealed in
the database of a running gateway, and can be replaced or removed, but never
read. \`rotate\` seals them with the first key of TOOLWIRE_GATEWAY_KEYS; older keys
are not needed afterwards.

  --principal ID      the secret of one caller, for credentials with \`perUser\`
  --json              prints JSON
${ADMIN_HELP}`,
  options: { principal: { type: "string" }, json: { type: "boolean" }, ...ADMIN_OPTIONS },
  positionals: [1, 2],
  async run(args, console) {
    const [verb = "", name] = args.positionals;
    const action = { set, remove, list, rotate }[verb];
    if (action === undefined || (action === set || action === remove) !== (name !== undefined)) {
      throw new CommandError("Say `secret set NAME`, `secret list`, `secret remove NAME` or `secret rotate`.");
    }
    await action({ admin: await openAdmin(args, console), name: name ?? "", args, console });
    return 0;
  },
};

/** One use of the command. */
interface Use {
  readonly admin: AdminClient;
  readonly name: string;
  readonly args: CommandArguments;
  readonly console: Console;
}

async function set({ admin, name, args, console }: Use): Promise<void> {
  // A line break at the end is the terminal's, or that of `echo`.
  const value = (await console.readInput()).replace(/\r?\n$/, "");
  if (value === "") {
    throw new CommandError("The value is empty. Write it to stdin: printf %s VALUE | … secret set NAME");
  }
  await admin.send("PUT", pathOf(name, args), { value });
  console.tell(`The secret ${name} is set.`);
}

async function remove({ admin, name, args, console }: Use): Promise<void> {
  await admin.send("DELETE", pathOf(name, args));
  console.tell(`The secret ${name} is removed.`);
}

async function rotate({ admin, console }: Use): Promise<void> {
  const { sealed } = (await admin.send("POST", "secrets/rotate")) as { readonly sealed: number };
  console.tell(`${sealed} secrets were sealed anew.`);
}

async function list({ admin, args, console }: Use): Promise<void> {
  const { secrets } = (await admin.send("GET", "secrets")) as { readonly secrets: readonly SecretView[] };
  console.print(args.values["json"] === true ? JSON.stringify(secrets) : describe(secrets));
}

function pathOf(name: string, args: CommandArguments): string {
  const principal = textOption(args, "principal");
  if (principal === undefined) return `secrets/${encodeURIComponent(name)}`;
  return `principals/${encodeURIComponent(principal)}/credentials/${encodeURIComponent(name)}`;
}

function describe(secrets: readonly SecretView[]): string {
  const rows = secrets.map(({ name, principal = "", updatedAt }) => [
    plain(name),
    plain(principal),
    new Date(updatedAt).toISOString().slice(0, 16),
  ]);
  return writeTable(["NAME", "PRINCIPAL", "SET AT"], rows);
}
