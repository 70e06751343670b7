import { readFile } from "node:fs/promises";
import type { HostEntry } from "../hosts/host-entry.ts";
import { readHostFile } from "../hosts/read-host-file.ts";
import { suggest } from "../admin/http/suggest.ts";
import {
  type Command,
  type CommandArguments,
  CommandError,
  CommandFailure,
  slugOption,
  textOption,
  textsOption,
} from "./command.ts";
import { addEntries } from "./editing/add-entries.ts";
import { GatewayFile } from "./editing/gateway-file.ts";

/** `add`: another MCP server behind the gateway. */
export const add: Command = {
  name: "add",
  summary: "adds an MCP server to a configuration file",
  help: `Usage: toolwire-gateway add NAME --url URL [--header NAME=VALUE …]
       toolwire-gateway add NAME [--env NAME=VALUE …] -- COMMAND [ARGUMENT …]
       toolwire-gateway add NAME --from FILE

Adds an MCP server to the configuration, as a server of its own at /mcp/NAME.
Everything else in the file stays, comments included; a gateway that runs takes
the change at once. A value that looks like a credential becomes \${env:NAME}.

  --url URL           the address of a server over HTTP or WebSocket
  --header NAME=VALUE a header for it; may be repeated
  --env NAME=VALUE    a variable for the command; may be repeated
  --from FILE         takes the entry NAME of a file of Claude, Cursor, VS Code …
  --file FILE         the configuration; default gateway.yaml
  --server SLUG       adds to this server; tools get NAME_ in front of theirs
  --force             replaces an entry of the same name`,
  options: {
    url: { type: "string" },
    header: { type: "string", multiple: true },
    env: { type: "string", multiple: true },
    from: { type: "string" },
    file: { type: "string" },
    server: { type: "string" },
    force: { type: "boolean" },
  },
  positionals: [1, Infinity],
  async run(args, console) {
    const { entry, notes } = await readEntry(args);
    const file = await GatewayFile.open(textOption(args, "file") ?? "gateway.yaml");
    const options = { slug: slugOption(args, "server"), replaces: args.values["force"] === true };
    const said = addEntries(file, [entry], options);
    await file.save();
    for (const line of [...notes, ...said]) console.tell(line);
    console.tell(`${file.file} is written. Try it: toolwire-gateway check ${file.file}`);
    return 0;
  },
};

async function readEntry(args: CommandArguments): Promise<{ entry: HostEntry; notes: readonly string[] }> {
  const [name = "", command, ...rest] = args.positionals;
  const url = textOption(args, "url");
  const from = textOption(args, "from");
  const ways = [url, from, command].filter((way) => way !== undefined);
  if (ways.length !== 1) {
    throw new CommandError("Say what to add: --url URL, --from FILE, or the command after --.");
  }
  if (from !== undefined) return findEntry(from, name);
  if (url !== undefined) {
    if (!/^(?:https?|wss?):\/\//.test(url) || !URL.canParse(url)) {
      throw new CommandError("--url must begin with http://, https://, ws:// or wss://.");
    }
    return { entry: { name, url, headers: readPairs(args, "header") }, notes: [] };
  }
  return { entry: { name, command: command ?? "", args: rest, env: readPairs(args, "env") }, notes: [] };
}

async function findEntry(from: string, name: string): Promise<{ entry: HostEntry; notes: readonly string[] }> {
  const text = await readFile(from, "utf8").catch((error: unknown) => {
    throw new CommandFailure(`${from} cannot be read: ${(error as Error).message}`);
  });
  const { entries, notes } = readHostFile(text);
  const entry = entries.find((each) => each.name === name);
  const names = entries.map((each) => each.name);
  if (entry === undefined) {
    throw new CommandFailure(`${from} has no server ${JSON.stringify(name)}.${suggest(name, names)}`);
  }
  return { entry, notes: notes.filter((note) => note.startsWith(`${name}: `)) };
}

function readPairs(args: CommandArguments, option: string): { readonly [name: string]: string } {
  const pairs = (textsOption(args, option) ?? []).map((text): [string, string] => {
    const end = text.indexOf("=");
    // What follows may be a credential, so it is not repeated.
    if (end < 1) throw new CommandError(`--${option} must be NAME=VALUE.`);
    return [text.slice(0, end), text.slice(end + 1)];
  });
  return Object.fromEntries(pairs);
}
