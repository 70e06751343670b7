import { join } from "node:path";
import type { Guard } from "../fixture/guard.ts";
import type { ClientTask } from "../programs/task.ts";
import type { Outcomes } from "../steps/outcomes.ts";
import { firstMeaning, runToEnd, startProgram, type Command } from "./child.ts";
import { CLIENT_BINDINGS, type ClientHost, type Runtime, type RunningServer } from "./runtime.ts";

/** A runtime that runs programs from a command line. */
export interface CommandLine {
  /** Such as `Node` or `Bun`. */
  readonly title: string;
  readonly version: string;
  /** The arguments before the program. */
  readonly command: Command;
  /** The program that serves on the runtime's own HTTP server, if it has one for `Request` and `Response`. */
  readonly webServer?: string | undefined;
}

/** Connecting, all steps and exiting; only something that hangs takes longer. */
const CLIENT_MS = 30_000;

/** Makes runtimes of Node and those that have its modules. The programs are in a folder. */
export function commandLineRuntime({ title, version, command, webServer }: CommandLine, programs: string): Runtime {
  const program = (name: string, ...args: string[]): Command => [...command, join(programs, `${name}.js`), ...args];
  const listening =
    (name: string, ...args: string[]) =>
    (guard?: Guard): Promise<RunningServer> =>
      listen(program(name, ...args, ...(guard === undefined ? [] : [JSON.stringify(guard)])));
  const name = `${title} ${version}`;
  return {
    title: name,
    name,
    servers: {
      ...(webServer !== undefined && { http: listening(webServer) }),
      node: listening("node-server", "node"),
      stdio: () => Promise.resolve(spawned(program("node-server", "stdio"))),
      websocket: listening("node-server", "websocket"),
    },
    clients: CLIENT_BINDINGS,
    startClients: () => Promise.resolve(clientHost((task) => program("client", JSON.stringify(task)))),
  };
}

/** A server that says where it listens with a line that it prints. */
async function listen(command: Command): Promise<RunningServer> {
  const running = startProgram(command, "stdout");
  const target = await firstMeaning(running, (line) => (URL.canParse(line) ? line : undefined));
  return { target, stop: () => running.stop() };
}

/** A server that whoever connects to it starts, and stops. */
function spawned([command, ...args]: Command): RunningServer {
  return { target: { command, args }, stop: () => Promise.resolve() };
}

/** Runs each task in a process of its own. That it exits once all is closed, and by itself, is one more step. */
function clientHost(commandFor: (task: ClientTask) => Command): ClientHost {
  return {
    async run(task) {
      const { output, complaint, end } = await runToEnd(commandFor(task), CLIENT_MS);
      const outcomes = readOutcomes(output) ?? { connect: { failed: `did not get to the end: ${complaint.trim()}` } };
      return { ...outcomes, exit: end === "code 0" ? "passed" : { failed: `ended with ${end}: ${complaint.trim()}` } };
    },
    stop: () => Promise.resolve(),
  };
}

function readOutcomes(output: string): Outcomes | undefined {
  const line = output.split("\n").find((candidate) => candidate.startsWith("{"));
  return line === undefined ? undefined : (JSON.parse(line) as Outcomes);
}
