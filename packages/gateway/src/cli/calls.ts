import type { CallsView } from "../admin/views.ts";
import type { CallRecord } from "../log/call-record.ts";
import { ADMIN_HELP, ADMIN_OPTIONS, openAdmin, STOPPED } from "./admin-client.ts";
import { type Command, type CommandArguments, CommandError, CommandFailure, textOption } from "./command.ts";
import { plain } from "./table.ts";

/** `calls`: the call log, as it is or as it grows. */
export const calls: Command = {
  name: "calls",
  summary: "shows the call log, and follows it",
  help: `Usage: toolwire-gateway calls [--follow] [--server SLUG] [--tool NAME]
         [--outcome OUTCOME] [--limit N] [--json]

Prints calls of a running gateway, the newest last, one a line: time, outcome,
duration, server/tool, and the error if there was one.

  --follow            goes on with each call as it happens, until it is interrupted
  --server SLUG       calls of this server only
  --tool NAME         calls of this tool only
  --outcome OUTCOME   such as ok, tool-error, invalid-arguments, rate-limited
  --limit N           how many past calls to print; default 20, at most 500
  --json              prints one JSON object a line
${ADMIN_HELP}`,
  options: {
    follow: { type: "boolean", short: "f" },
    server: { type: "string" },
    tool: { type: "string" },
    outcome: { type: "string" },
    limit: { type: "string" },
    json: { type: "boolean" },
    ...ADMIN_OPTIONS,
  },
  positionals: [0, 0],
  async run(args, console) {
    const admin = await openAdmin(args, console);
    const filter = readFilter(args);
    const write = args.values["json"] === true ? (call: CallRecord) => JSON.stringify(call) : describe;
    const stop = new AbortController();
    // The stream is opened first, so that no call falls between the two.
    const live = args.values["follow"] === true ? admin.follow(`calls/live?${filter}`, "call", stop.signal) : undefined;
    const first = live?.next();
    first?.catch(() => undefined);
    filter.set("limit", readLimit(args));
    const { calls: past } = (await admin.send("GET", `calls?${filter}`)) as CallsView;
    const printed = new Set<string>();
    for (const call of past.toReversed()) {
      printed.add(call.id);
      console.print(write(call));
    }
    if (live === undefined || first === undefined) return 0;
    process.once("SIGINT", () => stop.abort(STOPPED));
    try {
      for (let next = await first; next.done !== true; next = await live.next()) {
        const call = JSON.parse(next.value) as CallRecord;
        if (!printed.delete(call.id)) console.print(write(call));
      }
    } catch (error) {
      if (stop.signal.aborted) return 0;
      throw error;
    }
    throw new CommandFailure(
      "The gateway has ended the list of calls: it has stopped, or the token is no longer valid.",
    );
  },
};

function readFilter(args: CommandArguments): URLSearchParams {
  const filter = new URLSearchParams();
  for (const name of ["server", "tool", "outcome"]) {
    const value = textOption(args, name);
    if (value !== undefined) filter.set(name, value);
  }
  return filter;
}

function readLimit(args: CommandArguments): string {
  const limit = textOption(args, "limit") ?? "20";
  if (/^\d{1,3}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= 500) return limit;
  throw new CommandError("--limit must be a number from 1 to 500.");
}

function describe({ at, outcome, durationMs, server, tool, error }: CallRecord): string {
  const time = new Date(at).toISOString();
  const line = `${time}  ${outcome.padEnd(17)}  ${durationMs.toFixed(1).padStart(8)} ms  ${server}/${plain(tool)}`;
  return error === undefined ? line : `${line}  ${plain(error)}`;
}
