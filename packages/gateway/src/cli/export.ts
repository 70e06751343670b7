import { suggest } from "../admin/http/suggest.ts";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { mkdir } from "node:fs/promises";
import type { GatewayConfig } from "../config/config.ts";
import { identifiesCallers } from "../config/identifies-callers.ts";
import { loadConfigFile } from "../config/load-config.ts";
import { isLoopback } from "../config/loopback.ts";
import { describeProblem } from "../config/problem.ts";
import type { UrlEntry } from "../hosts/host-entry.ts";
import { findHost, type Host, HOSTS } from "../hosts/hosts.ts";
import { writeHostFile } from "../hosts/write-host-file.ts";
import {
  choiceOption,
  type Command,
  type CommandArguments,
  CommandError,
  CommandFailure,
  textOption,
} from "./command.ts";
import { readIfThere, replaceFile } from "./editing/gateway-file.ts";

const IDS = HOSTS.map(({ id }) => id);

/** `export`: the servers of the gateway in the file of an application. */
export const exportServers: Command = {
  name: "export",
  summary: "writes the servers of a configuration to a file of Claude, Cursor or VS Code",
  help: `Usage: toolwire-gateway export --for APPLICATION [SLUG …] [--write [--user]]

Prints the servers of the gateway as an application has them in its file. No key
is written: servers that need one refer to a variable, or VS Code asks for it.

  --for APPLICATION   claude-desktop, claude-code, cursor, vscode or windsurf
  --write             writes to the application's file in this folder, or to that
                      of the user if it has no other; the old one is kept as .bak
  --user              with --write: to the file of the user
  --file FILE         the configuration; default gateway.yaml
  --url URL           how the application reaches the gateway; default:
                      listen.publicUrl, or listen.host and listen.port
  --key-env NAME      the variable with the key; default TOOLWIRE_KEY`,
  options: {
    for: { type: "string" },
    write: { type: "boolean" },
    user: { type: "boolean" },
    file: { type: "string" },
    url: { type: "string" },
    "key-env": { type: "string" },
  },
  positionals: [0, Infinity],
  async run(args, console) {
    const host = findHost(choiceOption(args, "for", IDS) ?? "");
    if (host === undefined) throw new CommandError(`Say for which application: --for ${IDS.join(", ")}.`);
    const path = textOption(args, "file") ?? "gateway.yaml";
    const { config, problems } = await loadConfigFile(path, console.env);
    if (config === undefined) {
      for (const problem of problems) console.tell(describeProblem(problem));
      return 1;
    }
    const entries = makeEntries(config, args);
    if (args.values["write"] !== true) {
      console.print(writeHostFile(host, entries).text.trimEnd());
      return 0;
    }
    const file = findFile(host, args.values["user"] === true, console.env);
    const { text, replaced } = writeHostFile(host, entries, await readIfThere(file));
    await mkdir(dirname(file), { recursive: true });
    await replaceFile(file, text, true);
    console.tell(`${file} has ${entries.map(({ name }) => name).join(", ")}. Start ${host.title} again.`);
    if (replaced.length > 0) console.tell(`Replaced: ${replaced.join(", ")}. The old file is ${file}.bak.`);
    return 0;
  },
};

function makeEntries(config: GatewayConfig, args: CommandArguments): UrlEntry[] {
  const { servers = {}, listen = {} } = config;
  const slugs = Object.keys(servers);
  const wanted = args.positionals.length === 0 ? slugs : args.positionals;
  if (wanted.length === 0) throw new CommandFailure("The configuration has no servers.");
  const variable = textOption(args, "key-env") ?? "TOOLWIRE_KEY";
  if (!/^[A-Za-z_]\w*$/.test(variable)) throw new CommandError("--key-env must be the name of a variable.");
  const base = baseUrl(config, textOption(args, "url"));
  return wanted.map((slug) => {
    const server = Object.hasOwn(servers, slug) ? servers[slug] : undefined;
    if (server === undefined) {
      throw new CommandFailure(`There is no server ${JSON.stringify(slug)}.${suggest(slug, slugs)}`);
    }
    const needsKey = identifiesCallers(server, isLoopback(listen.host));
    const takesTokensAlone = typeof server.auth === "object" && server.auth.apiKeys !== true;
    return {
      name: slug,
      url: `${base}/mcp/${slug}`,
      // Applications log in by themselves where tokens are taken.
      headers: needsKey && !takesTokensAlone ? { Authorization: `Bearer \${env:${variable}}` } : {},
    };
  });
}

/** The origin by which applications on this machine reach the gateway. */
function baseUrl({ listen = {} }: GatewayConfig, given: string | undefined): string {
  const { host = "127.0.0.1", port = 8080, publicUrl } = listen;
  const isAny = host === "0.0.0.0" || host === "::";
  const own = `http://${isAny ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host}:${port}`;
  const url = given ?? (publicUrl?.includes("${") === true ? undefined : publicUrl) ?? own;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new CommandError("--url must begin with http:// or https://.");
  }
  return new URL(url).origin;
}

function findFile(host: Host, isOfUser: boolean, env: { readonly [name: string]: string | undefined }): string {
  if (host.projectFile !== undefined && !isOfUser) return resolve(host.projectFile);
  const { linux, macos, windows } = host.userFile;
  const path = process.platform === "win32" ? windows : process.platform === "darwin" ? macos : linux;
  const home = env["HOME"] ?? env["USERPROFILE"] ?? homedir();
  if (path.startsWith("~/.config/")) return join(env["XDG_CONFIG_HOME"] ?? join(home, ".config"), path.slice(10));
  return path.startsWith("~/") ? join(home, path.slice(2)) : path.replace("%APPDATA%", env["APPDATA"] ?? home);
}
