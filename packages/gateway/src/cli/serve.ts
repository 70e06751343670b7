import { isWorker } from "@toolwire/server/workers";
import { dirname, resolve } from "node:path";
import { createAdminToken } from "../admin/login/login.ts";
import { loadConfigFile } from "../config/load-config.ts";
import { describeProblem } from "../config/problem.ts";
import { GatewayWorker } from "../workers/worker.ts";
import { createGateway, startWorker } from "../create-gateway.ts";
import type { Gateway, GatewayEvent } from "../gateway.ts";
import { choiceOption, type Command, type CommandArguments, type Console, portOption, textOption } from "./command.ts";
import { createJsonLog } from "./serving/json-log.ts";
import { createPaint, wantsColour } from "./serving/paint.ts";
import { loadObservers } from "./serving/load-observers.ts";
import { Reloads } from "./serving/reloads.ts";
import { LOG_LEVELS, type ServeLog } from "./serving/serve-log.ts";
import { tellFindings } from "./serving/tell-findings.ts";
import { createTerminalLog } from "./serving/terminal-log.ts";
import { keepToken } from "./token-file.ts";

/** `serve`: runs the gateway until it is told to end. */
export const serve: Command = {
  name: "serve",
  summary: "serves what a configuration file describes",
  help: `Usage: toolwire-gateway serve FILE [--host HOST] [--port PORT]
         [--admin-port PORT] [--log text|json] [--log-level LEVEL] [--no-watch]
         [--observe MODULE]

Serves every server of the file at /mcp/{slug}. On a terminal it shows the
endpoints with their tools, a link to the page that logs you in, and calls as
they happen. Otherwise it prints one JSON object a line to stderr; once it
serves: {"listening":"http://127.0.0.1:8080","admin":"http://127.0.0.1:8081"}

A changed file, a changed OpenAPI document, and SIGHUP reload the configuration
without dropping a call. A file with a mistake changes nothing. SIGTERM and
SIGINT let calls in flight finish, write the log, and end with 0. With a
cluster, SIGTERM first lets load balancers notice (listen.drain).

The admin token is \`admin.token\` of the file, or else GATEWAY_ADMIN_TOKEN. If
neither is set, one is made for this run: the link uses it, and so do other
commands of the same user on this machine. It is never printed.

  --host HOST         address to listen on, in place of listen.host
  --port PORT         port to listen on, in place of listen.port; 0 picks one
  --admin-port PORT   port of the admin API and the page, in place of admin.port
  --log FORMAT        text for people, json for programs; default: text on a
                      terminal, else json
  --log-level LEVEL   debug, info, warning or error; default info. debug adds
                      stderr of upstreams, repeated requests, and stacks
  --no-watch          reload on SIGHUP only
  --observe MODULE    file with observers for telemetry as its default export,
                      such as gatewayTelemetry() of @toolwire/otel/gateway

Colours follow NO_COLOR and FORCE_COLOR.`,
  options: {
    host: { type: "string" },
    port: { type: "string" },
    "admin-port": { type: "string" },
    log: { type: "string" },
    "log-level": { type: "string" },
    "no-watch": { type: "boolean" },
    observe: { type: "string" },
  },
  positionals: [1, 1],
  async run(args, console) {
    const [file = ""] = args.positionals;
    if (isWorker()) return serveInWorker(args, console, file);
    const log = openLog(args, console);
    const reported = new Set<string>();
    const onEvent = (event: GatewayEvent): void => {
      if (event.call !== undefined) reported.add(event.call.id);
      log.event(event);
    };
    const loaded = await loadConfigFile(file, console.env);
    for (const problem of loaded.problems) console.tell(describeProblem(problem));
    if (loaded.config === undefined) return 1;
    const observe = await loadObservers(textOption(args, "observe"));
    const ending = waitForSignal();
    const token = chooseToken(console.env);
    const gateway = await createGateway(loaded.config, {
      folder: dirname(resolve(file)),
      env: console.env,
      host: textOption(args, "host"),
      port: portOption(args, "port"),
      adminPort: portOption(args, "admin-port"),
      adminToken: token.text,
      // Warnings of the file were printed with their lines.
      isChecked: true,
      observe,
      onEvent,
    });
    const { admin } = loaded.config;
    const isMade = token.isMade && admin !== false && admin?.token === undefined;
    const forget = isMade ? await keepToken(gateway.adminUrl ?? "", token.text, console.env) : undefined;
    const reloads = new Reloads(gateway, file, console, onEvent);
    if (args.values["no-watch"] !== true) await reloads.watch();
    const onHangUp = (): void => reloads.request();
    process.on("SIGHUP", onHangUp);
    // A failure that was reported needs no second line.
    gateway.storage.calls.follow((record) => {
      if (!reported.delete(record.id)) log.call(record);
    });
    announce(gateway, file, log, isText(args, console) && console.isLogTerminal === true);
    tellFindings(gateway, onEvent);
    console.ready?.({ listening: gateway.url, admin: gateway.adminUrl });
    const signal = await ending;
    process.off("SIGHUP", onHangUp);
    reloads.close();
    await forget?.();
    if (signal === "SIGTERM") await drain(gateway);
    else await gateway.close();
    log.close();
    return 0;
  },
};

/** Lets load balancers notice, and closes. A second signal ends the wait for them. */
async function drain(gateway: Gateway): Promise<void> {
  const hurry = (): void => void gateway.close();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, hurry);
  await gateway.drain();
}

/** Serves as one of the workers. The process that has started it reads the file, prints, and has the admin listener. */
async function serveInWorker(args: CommandArguments, console: Console, file: string): Promise<number> {
  const ended = new Promise<void>((end) => process.once("disconnect", end));
  // Ctrl+C reaches all processes of a terminal. The one that has started this one ends it.
  const ignore = (): void => undefined;
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, ignore);
  const worker = await GatewayWorker.join();
  const observe = await loadObservers(textOption(args, "observe"));
  await startWorker(worker, { folder: dirname(resolve(file)), env: console.env, observe });
  await ended;
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, ignore);
  return 0;
}

/** Only a person at a terminal gets a link that logs in: logs are kept, and read by others. */
function announce(gateway: Gateway, file: string, log: ServeLog, isForPerson: boolean): void {
  log.started(gateway, file, isForPerson ? gateway.createPageLink() : undefined);
}

function isText(args: CommandArguments, console: Console): boolean {
  const format = choiceOption(args, "log", ["text", "json"]);
  return format === undefined ? console.isLogTerminal === true : format === "text";
}

function openLog(args: CommandArguments, console: Console): ServeLog {
  const least = choiceOption(args, "log-level", LOG_LEVELS) ?? "info";
  const tell = (line: string): void => console.tell(line);
  if (!isText(args, console)) return createJsonLog(tell, least);
  return createTerminalLog(tell, least, createPaint(wantsColour(console.isLogTerminal === true, console.env)));
}

/** The admin token, if the file has none. */
function chooseToken(env: Console["env"]): { readonly text: string; readonly isMade: boolean } {
  const given = env["GATEWAY_ADMIN_TOKEN"]?.trim() ?? "";
  return given === "" ? { text: createAdminToken(), isMade: true } : { text: given, isMade: false };
}

/** Resolves at the first signal that ends the program. */
function waitForSignal(): Promise<NodeJS.Signals> {
  return new Promise((end) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => end(signal));
  });
}
