import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parse, stringify } from "yaml";
import { isHostFile, readHostFile } from "../hosts/read-host-file.ts";
import {
  type Command,
  type CommandArguments,
  CommandError,
  CommandFailure,
  type Console,
  slugOption,
  textOption,
} from "./command.ts";
import { addEntries } from "./editing/add-entries.ts";
import { GatewayFile } from "./editing/gateway-file.ts";
import { importDocument, importInto } from "./import-document.ts";
import { plain } from "./table.ts";

/** `import`: an OpenAPI document, or the MCP servers of an application. */
export const importAny: Command = {
  ...importDocument,
  summary: "turns an OpenAPI document, or a file of Claude, Cursor or VS Code, into configuration",
  help: `${importDocument.help}

A file with \`mcpServers\`, or VS Code's \`servers\`, becomes upstreams: a server for
each. Values that look like credentials become \${env:NAME}, and what has no
counterpart is said.

  --into FILE         writes to this configuration, which keeps everything else
  --server SLUG       of such a file: one server for all, with names in front
  --force             with --into: replaces servers of the same name`,
  options: {
    ...importDocument.options,
    into: { type: "string" },
    server: { type: "string" },
    force: { type: "boolean" },
  },
  async run(args, console) {
    const [source = ""] = args.positionals;
    const text = /^https?:\/\//.test(source) ? "" : await readFile(source, "utf8").catch(() => "");
    if (isHostFile(text)) return importServers(text, args, console);
    if (args.values["server"] !== undefined) {
      throw new CommandError("--server is for files with `mcpServers`. Use --slug.");
    }
    const into = textOption(args, "into");
    if (into === undefined) return importDocument.run(args, console);
    const file = await GatewayFile.open(into);
    for (const [slug, server] of Object.entries(await readServers(into, args, console))) {
      if (file.hasServer(slug) && args.values["force"] !== true) {
        throw new CommandFailure(`${into} was not changed: it has a server ${slug} already. Use --slug, or --force.`);
      }
      file.putServer(slug, server);
    }
    await file.save();
    console.tell(`${into} is written. Try it: toolwire-gateway check ${into}`);
    return 0;
  },
};

/** The servers that an OpenAPI document makes for a configuration file, by slug. */
export async function readServers(
  file: string,
  args: CommandArguments,
  console: Console,
): Promise<{ readonly [slug: string]: object }> {
  const printed: string[] = [];
  await importInto(dirname(resolve(file)), args, { ...console, print: (line) => void printed.push(line) });
  return (parse(printed.join("\n")) as { readonly servers: { readonly [slug: string]: object } }).servers;
}

async function importServers(text: string, args: CommandArguments, console: Console): Promise<number> {
  const others = Object.keys(args.values).filter((option) => !["into", "server", "force"].includes(option));
  if (others.length > 0) throw new CommandError(`--${others[0]} is for OpenAPI documents.`);
  const { entries, notes } = readHostFile(text);
  for (const note of notes) console.tell(plain(note));
  if (entries.length === 0) throw new CommandFailure("The file has no server that can be taken.");
  const into = textOption(args, "into");
  const file = into === undefined ? GatewayFile.read("The configuration") : await GatewayFile.open(into);
  const said = addEntries(file, entries, {
    slug: slugOption(args, "server"),
    replaces: args.values["force"] === true,
  });
  if (into === undefined) console.print(stringify(parse(file.toString()), { lineWidth: 120 }).trimEnd());
  else await file.save();
  for (const line of said) console.tell(line);
  if (into !== undefined) console.tell(`${into} is written. Try it: toolwire-gateway check ${into}`);
  return 0;
}
