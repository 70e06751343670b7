import { ToolwireError } from "@toolwire/server";
import { suggest } from "../admin/http/suggest.ts";
import { parseArgs } from "node:util";
import { VERSION } from "../version.ts";
import { wrapHelp } from "./wrap-help.ts";
import { type Command, type CommandArguments, CommandError, CommandFailure, type Console } from "./command.ts";

/** Runs the command line. Resolves with the exit code: 0 if all is well, 1 if it failed, 2 for a mistake in the arguments. */
export async function runCommandLine(
  commands: readonly Command[],
  argv: readonly string[],
  console: Console,
): Promise<number> {
  const [name = "--help", ...rest] = argv;
  if (name === "--help" || name === "-h" || name === "help") {
    const asked = commands.find((each) => each.name === rest[0]);
    console.print(wrapHelp(asked?.help ?? overview(commands)));
    return 0;
  }
  if (name === "--version" || name === "-v") {
    console.print(VERSION);
    return 0;
  }
  const command = commands.find((each) => each.name === name);
  if (command === undefined) {
    const names = commands.map((each) => each.name);
    const advice = suggest(name, names) || " `toolwire-gateway --help` lists all.";
    console.tell(`There is no command ${JSON.stringify(name)}.${advice}`);
    return 2;
  }
  // What follows `--` belongs to another program.
  const own = rest.includes("--") ? rest.slice(0, rest.indexOf("--")) : rest;
  if (own.includes("--help") || own.includes("-h")) {
    console.print(wrapHelp(command.help));
    return 0;
  }
  try {
    return await command.run(readArguments(command, rest), console);
  } catch (error) {
    if (error instanceof CommandError) {
      console.tell(`${error.message}\n\n${wrapHelp(usageOf(command))}`);
      return 2;
    }
    if (!(error instanceof ToolwireError || error instanceof CommandFailure)) throw error;
    console.tell(error.message);
    return 1;
  }
}

function readArguments(command: Command, argv: readonly string[]): CommandArguments {
  let parsed: CommandArguments;
  try {
    parsed = parseArgs({ args: [...argv], options: command.options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new CommandError((error as Error).message);
  }
  const [least, most] = command.positionals;
  const { length } = parsed.positionals;
  if (length < least) throw new CommandError("An argument is missing.");
  if (length > most) throw new CommandError(`${JSON.stringify(parsed.positionals[most])} is one argument too many.`);
  return parsed;
}

function usageOf({ help }: Command): string {
  return help.split("\n\n")[0] ?? "";
}

function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `Usage: toolwire-gateway COMMAND …

Serves HTTP APIs, OpenAPI documents and other MCP servers as MCP servers at /mcp/{slug}.

${lines.join("\n")}

\`toolwire-gateway COMMAND --help\` has more about a command.`;
}
