import { parseArgs } from "node:util";

/** The parsed command line. */
export interface Launch {
  readonly transports: readonly ("stdio" | "http" | "ws")[];
  readonly httpPort: number;
  readonly wsPort: number;
  readonly host: string | undefined;
  /** The names that clients on other machines use. */
  readonly allowedHosts: readonly string[] | undefined;
  readonly legacySse: boolean;
}

/** A command line that makes no sense; the message says why. */
export class CommandLineError extends Error {}

/** The text of `--help`. */
export const HELP = `The Toolwire example server: every feature of the Model Context Protocol, over every transport.

Usage:
  node apps/example-server/dist/main.js TRANSPORT [options]

Transports:
  stdio                  serve the program that started this one, over stdin and stdout
  http                   serve http://127.0.0.1:3000/mcp
  ws                     serve ws://127.0.0.1:3001/ws
  all                    all three at once

Options:
  --port PORT            port of http or ws; with "all", port of http; 0 picks a free port
  --ws-port PORT         with "all": port of ws; default: the port after --port
  --host ADDRESS         address to listen on; default 127.0.0.1, which only this machine can reach
  --allow-host NAME      host name that clients on other machines use; may be repeated
  --legacy-sse           with http or all: also serve HTTP+SSE of 2024-11-05, at /sse and /messages
  --help                 print this help

Each listener prints one line of JSON to stderr: {"listening":"http://127.0.0.1:3000/mcp"}.
The server stops on SIGINT and SIGTERM; with stdio, also at the end of input.
`;

const TRANSPORTS: { readonly [name: string]: Launch["transports"] | undefined } = {
  stdio: ["stdio"],
  http: ["http"],
  ws: ["ws"],
  all: ["stdio", "http", "ws"],
};

/** Reads the command line; `undefined` if it asks for help. Throws a {@link CommandLineError}. */
export function readCommandLine(args: readonly string[]): Launch | undefined {
  const { values, positionals } = parse(args);
  if (values.help === true) return undefined;
  const [name, ...rest] = positionals;
  const transports = name !== undefined && Object.hasOwn(TRANSPORTS, name) ? TRANSPORTS[name] : undefined;
  if (transports === undefined || rest.length > 0) {
    throw new CommandLineError("Name one transport to serve: stdio, http, ws or all.");
  }
  const port = readPort("--port", values.port);
  return {
    transports,
    httpPort: port ?? 3000,
    wsPort: readPort("--ws-port", values["ws-port"]) ?? defaultWsPort(name === "all", port),
    host: values.host,
    allowedHosts: values["allow-host"],
    legacySse: values["legacy-sse"] ?? false,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        port: { type: "string" },
        "ws-port": { type: "string" },
        host: { type: "string" },
        "allow-host": { type: "string", multiple: true },
        "legacy-sse": { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new CommandLineError((error as Error).message);
  }
}

function readPort(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new CommandLineError(`${option} must be a number from 0 to 65535, not ${JSON.stringify(text)}.`);
}

function defaultWsPort(isNextToHttp: boolean, port: number | undefined): number {
  if (!isNextToHttp) return port ?? 3001;
  return port === undefined || port === 0 ? (port ?? 3001) : Math.min(port + 1, 65_535);
}
