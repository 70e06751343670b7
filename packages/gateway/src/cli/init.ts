import { existsSync } from "node:fs";
import type { HostEntry } from "../hosts/host-entry.ts";
import { toUpstream } from "../hosts/to-upstream.ts";
import {
  type Command,
  type CommandArguments,
  CommandError,
  CommandFailure,
  type Console,
  slugOption,
  textOption,
} from "./command.ts";
import { slugOf } from "./editing/add-entries.ts";
import { replaceFile } from "./editing/gateway-file.ts";
import { readServers } from "./import.ts";
import { type Answers, askForStart } from "./init/ask.ts";
import { EXAMPLE_SERVER, type StartingConfig, writeStartingConfig } from "./init/starting-config.ts";

/** `init`: a configuration that works, made of three answers. */
export const init: Command = {
  name: "init",
  summary: "asks three questions and writes a configuration that works",
  help: `Usage: toolwire-gateway init [FILE]
       toolwire-gateway init [FILE] --example | --openapi DOCUMENT | --url URL
         | --command "COMMAND" [--slug SLUG] [--port PORT] [--keys] [--force]

Writes a configuration with comments, which check and serve take as it is: to
FILE, or gateway.yaml. On a terminal it asks what to serve; the options answer in
advance, and are needed where nobody can be asked.

  --example           a tool by hand: the weather of a city
  --openapi DOCUMENT  the operations of an OpenAPI document, a URL or a file
  --base-url URL      with --openapi: the URL of the API
  --url URL           an MCP server over HTTP or WebSocket
  --command COMMAND   an MCP server that is a command, such as "npx -y a-server"
  --slug SLUG         the name of the server in URLs
  --port PORT         the port that clients connect to; default 8080
  --keys              callers need an API key, also on this machine
  --force             replaces FILE if it is there`,
  options: {
    example: { type: "boolean" },
    openapi: { type: "string" },
    "base-url": { type: "string" },
    url: { type: "string" },
    command: { type: "string" },
    slug: { type: "string" },
    port: { type: "string" },
    keys: { type: "boolean" },
    force: { type: "boolean" },
  },
  positionals: [0, 1],
  async run(args, console) {
    const [file = "gateway.yaml"] = args.positionals;
    const answers = readAnswers(args, file) ?? (await ask(file, args, console));
    if (existsSync(answers.file) && args.values["force"] !== true) {
      throw new CommandFailure(`${answers.file} is there already. Use another name, or --force to replace it.`);
    }
    const { said, ...config } = await makeConfig(answers, args, console);
    await replaceFile(answers.file, writeStartingConfig(config));
    for (const line of said) console.tell(line);
    console.tell(`${answers.file} is written. Start it: toolwire-gateway serve ${answers.file}`);
    return 0;
  },
};

async function ask(file: string, { values }: CommandArguments, console: Console): Promise<Answers> {
  if (console.isInteractive === true) return askForStart(file, values["force"] === true);
  throw new CommandError("Nobody can be asked here. Say what to serve: --example, --openapi, --url or --command.");
}

/** The answers that the options give; `undefined` if none says what to serve. */
function readAnswers(args: CommandArguments, file: string): Answers | undefined {
  const given = (["openapi", "url", "command"] as const).flatMap((source) => {
    const what = textOption(args, source);
    return what === undefined ? [] : [{ source, what }];
  });
  const all = args.values["example"] === true ? [...given, { source: "example" as const, what: "" }] : given;
  const [chosen, other] = all;
  if (other !== undefined) throw new CommandError("Say one of --example, --openapi, --url and --command.");
  if (chosen === undefined) return undefined;
  const port = readPort(textOption(args, "port") ?? "8080");
  return { ...chosen, port, needsKeys: args.values["keys"] === true, file };
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new CommandError(`The port must be a number from 0 to 65535, not ${JSON.stringify(text)}.`);
}

async function makeConfig(
  { source, what, file, port, needsKeys }: Answers,
  args: CommandArguments,
  console: Console,
): Promise<StartingConfig & { readonly said: readonly string[] }> {
  const slug = slugOption(args, "slug");
  const shared = { port, needsKeys, said: [] };
  if (source === "example") {
    const comment = "A tool by hand: one request, and where each argument goes.";
    return { ...shared, slug: slug ?? "weather", server: EXAMPLE_SERVER, comment };
  }
  if (source === "openapi") {
    const baseUrl = textOption(args, "base-url");
    const values = { ...(slug !== undefined && { slug }), ...(baseUrl !== undefined && { "base-url": baseUrl }) };
    const [made] = Object.entries(await readServers(file, { values, positionals: [what] }, console));
    if (made === undefined) throw new CommandFailure("The document makes no server.");
    return { ...shared, slug: made[0], server: made[1], comment: "Tools of an OpenAPI document." };
  }
  const name = slug ?? nameOf(source, what);
  const { upstream, variables, privateHost, notes } = toUpstream(entryOf(source, what, name));
  const network = privateHost === undefined ? {} : { network: { allow: [privateHost] } };
  return {
    ...shared,
    slug: name,
    server: { upstreams: { [name]: upstream }, ...network },
    comment: "Another MCP server, passed on as it is.",
    said: [...notes, ...variables.map((variable) => `Set the variable ${variable} before the gateway starts.`)],
  };
}

function entryOf(source: "url" | "command", what: string, name: string): HostEntry {
  if (source === "url") {
    if (/^(?:https?|wss?):\/\//.test(what) && URL.canParse(what)) return { name, url: what, headers: {} };
    throw new CommandError("The URL must begin with http://, https://, ws:// or wss://.");
  }
  const [command = "", ...args] = splitCommand(what);
  if (command === "") throw new CommandError("The command is empty.");
  return { name, command, args, env: {} };
}

/** Splits a command line at its spaces. Quotes keep words together; no shell reads it. */
function splitCommand(text: string): string[] {
  const words = text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}

/** A slug for a server: of its host, or of its package. */
function nameOf(source: "url" | "command", what: string): string {
  if (source === "url" && URL.canParse(what)) return slugOf(new URL(what).hostname.replace(/^(?:www|mcp|api)\./, ""));
  const words = splitCommand(what).filter((word) => !word.startsWith("-"));
  const [program = "server", ...rest] = words;
  const name = /^(?:npx|bunx|uvx|node|python3?|deno|docker|pnpm)$/.test(program) ? (rest[0] ?? program) : program;
  return slugOf(
    name
      .replace(/^@[^/]+\//, "")
      .replace(/^.*\//, "")
      .replace(/(?:@[\w.-]+|\.[cm]?[jt]s|\.py)$/, ""),
  );
}
