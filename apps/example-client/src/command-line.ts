import { parseArgs } from "node:util";
import { isRevision, REVISIONS, type Revision } from "@toolwire/protocol";
import type { CommandTarget } from "@toolwire/client";
import { CommandLineError } from "./command-line-error.ts";
import { readTarget } from "./verbs/target.ts";

/** The options of all verbs. */
export interface VerbOptions {
  readonly target: URL | CommandTarget;
  readonly json: boolean;
  readonly revision: Revision | undefined;
  readonly timeoutMs: number | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** Whether to show what a server that was started writes to stderr. */
  readonly stderr: boolean;
}

/** The parsed command line. */
export type Command =
  | { readonly verb: "help" }
  | { readonly verb: "show"; readonly revision: Revision | undefined }
  | ({ readonly verb: "init" | "list" } & VerbOptions)
  | ({ readonly verb: "call"; readonly tool: string; readonly args: ToolArguments } & VerbOptions);

/** The arguments of a tool, whatever they are. */
export type ToolArguments = { readonly [argument: string]: unknown };

/** The text of `--help`. */
export const HELP: string = `The Toolwire example client.

Usage:
  node apps/example-client/dist/main.js                           run the demo: one server over three transports at once
  node apps/example-client/dist/main.js init TARGET               connect, and show what the server is and supports
  node apps/example-client/dist/main.js list TARGET               list its tools, resources and prompts
  node apps/example-client/dist/main.js call TARGET NAME [ARGS]   call a tool; ARGS is JSON, such as '{"a":40,"b":2}'

TARGET is a URL (http:, https:, ws:, wss:), or a command line in quotes that starts a server:
  http://127.0.0.1:3000/mcp
  "node apps/example-server/dist/main.js stdio"

Options:
  --json                 print results as the server sent them, as JSON
  --revision DATE        use this protocol revision: ${REVISIONS.join(", ")}
  --timeout MS           give up after MS milliseconds without an answer or progress; default 60000
  --header "NAME: VALUE" send this header, such as Authorization; may be repeated
  --stderr               show the stderr of a server that this program started
  --help                 print this help

Exit codes:
  0   success; of list: at least one list could be read
  1   the tool failed; in the demo: an answer was wrong
  2   the server refused the request, or violated the protocol; of list: nothing could be listed
  3   the server could not be reached or started, did not answer in time, or the connection was lost
  64  invalid command line
  70  a bug in this program
`;

/** Reads the command line. Throws a {@link CommandLineError}. */
export function readCommandLine(argv: readonly string[]): Command {
  const { values, positionals } = parse(argv);
  const [verb, target, ...rest] = positionals;
  if (values.help === true) return { verb: "help" };
  const revision = readRevision(values.revision);
  if (verb === undefined) return { verb: "show", revision };
  if (verb !== "init" && verb !== "list" && verb !== "call") {
    throw new CommandLineError(
      `There is no verb ${JSON.stringify(verb)}: use init, list or call, or none for the show.`,
    );
  }
  if (target === undefined) throw new CommandLineError(`${verb} needs a target: a URL, or a command line in quotes.`);
  const options: VerbOptions = {
    target: readTarget(target),
    json: values.json ?? false,
    revision,
    timeoutMs: readTimeout(values.timeout),
    headers: values.header && Object.fromEntries(values.header.map(readHeader)),
    stderr: values.stderr ?? false,
  };
  if (options.headers !== undefined && !(options.target instanceof URL)) {
    throw new CommandLineError("--header is for URLs: a command gets no headers.");
  }
  if (verb !== "call") {
    expectNoMore(rest, 0);
    return { verb, ...options };
  }
  const [tool, args = "{}"] = rest;
  expectNoMore(rest, 2);
  if (tool === undefined) throw new CommandLineError("call needs the name of a tool; `list` shows them.");
  return { verb, ...options, tool, args: readArguments(args) };
}

function parse(argv: readonly string[]): ReturnType<typeof parseArgs<typeof CONFIG>> {
  try {
    return parseArgs({ ...CONFIG, args: [...argv] });
  } catch (error) {
    throw new CommandLineError((error as Error).message);
  }
}

const CONFIG = {
  allowPositionals: true,
  options: {
    json: { type: "boolean" },
    revision: { type: "string" },
    timeout: { type: "string" },
    header: { type: "string", multiple: true },
    stderr: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
} as const;

function expectNoMore(rest: readonly string[], expected: number): void {
  const surplus = rest[expected];
  if (surplus === undefined) return;
  throw new CommandLineError(
    `${JSON.stringify(surplus)} is one argument too many. A command line as target, and JSON, need quotes around them.`,
  );
}

function readRevision(text: string | undefined): Revision | undefined {
  if (text === undefined || isRevision(text)) return text;
  throw new CommandLineError(`--revision must be one of ${REVISIONS.join(", ")}.`);
}

function readTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new CommandLineError(`--timeout must be a whole number of milliseconds, not ${JSON.stringify(text)}.`);
}

function readHeader(text: string): [string, string] {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new CommandLineError(`--header must look like "Name: value", not ${JSON.stringify(text)}.`);
  }
  return [name, value];
}

function readArguments(text: string): ToolArguments {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CommandLineError(`The arguments are no JSON: ${(error as Error).message}.`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as ToolArguments;
  throw new CommandLineError(`The arguments must be an object, such as '{"a":40,"b":2}', not ${text}.`);
}
