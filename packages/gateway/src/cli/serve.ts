import { ToolwireError } from "@toolwire/server";
import { dirname, resolve } from "node:path";
import { listFiles } from "../config/list-files.ts";
import { loadConfigFile } from "../config/load-config.ts";
import { describeProblem } from "../config/problem.ts";
import { createGateway } from "../create-gateway.ts";
import type { Gateway, GatewayEvent } from "../gateway.ts";
import { type Command, type Console, portOption, textOption } from "./command.ts";
import { FileWatch } from "./watch-files.ts";

/** `serve`: runs the gateway until it is told to end. */
export const serve: Command = {
  name: "serve",
  summary: "serves what a configuration file describes",
  help: `Usage: toolwire-gateway serve FILE [--host HOST] [--port PORT] [--admin-port PORT] [--no-watch]

Serves every server of the file at /mcp/{slug}. Once it serves, it prints one line of JSON to stderr:
{"listening":"http://127.0.0.1:8080","admin":"http://127.0.0.1:8081"}

A changed file, a changed OpenAPI document, and SIGHUP reload the configuration without dropping a call. A file with a
mistake changes nothing. SIGTERM and SIGINT let calls in flight finish, write the log, and end with 0.

  --host HOST         address to listen on, in place of listen.host
  --port PORT         port to listen on, in place of listen.port; 0 picks a free one
  --admin-port PORT   port of the admin API and the page, in place of admin.port
  --no-watch          reload on SIGHUP only`,
  options: {
    host: { type: "string" },
    port: { type: "string" },
    "admin-port": { type: "string" },
    "no-watch": { type: "boolean" },
  },
  positionals: [1, 1],
  async run(args, console) {
    const [file = ""] = args.positionals;
    const tell = (event: GatewayEvent): void => console.tell(writeEvent(event));
    const loaded = await loadConfigFile(file, console.env);
    for (const problem of loaded.problems) console.tell(describeProblem(problem));
    if (loaded.config === undefined) return 1;
    const ending = waitForSignal();
    const gateway = await createGateway(loaded.config, {
      folder: dirname(resolve(file)),
      env: console.env,
      host: textOption(args, "host"),
      port: portOption(args, "port"),
      adminPort: portOption(args, "admin-port"),
      // Warnings of the file were printed with their lines.
      isChecked: true,
      onEvent: tell,
    });
    const reloads = new Reloads(gateway, file, console);
    if (args.values["no-watch"] !== true) await reloads.watch();
    const onHangUp = (): void => reloads.request();
    process.on("SIGHUP", onHangUp);
    console.tell(JSON.stringify({ listening: gateway.url, admin: gateway.adminUrl }));
    await ending;
    process.off("SIGHUP", onHangUp);
    reloads.close();
    await gateway.close();
    return 0;
  },
};

/** Reloads the configuration of a gateway from its file, one reload after the other. */
class Reloads {
  readonly #gateway: Gateway;
  readonly #file: string;
  readonly #console: Console;
  readonly #watch: FileWatch;
  #isWatching = false;
  #running: Promise<void> | undefined;
  #isWanted = false;

  constructor(gateway: Gateway, file: string, console: Console) {
    this.#gateway = gateway;
    this.#file = file;
    this.#console = console;
    this.#watch = new FileWatch(() => this.request());
  }

  async watch(): Promise<void> {
    this.#isWatching = true;
    await this.#watch.watch([this.#file, ...listFiles(this.#gateway.config, dirname(resolve(this.#file)))]);
  }

  /** Reloads now, or after the reload that runs. */
  request(): void {
    this.#isWanted = true;
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false;
      await this.#reload();
    }
    this.#running = undefined;
  }

  async #reload(): Promise<void> {
    const { config, problems } = await loadConfigFile(this.#file, this.#console.env);
    for (const problem of problems) this.#console.tell(describeProblem(problem));
    if (config === undefined) {
      this.#tell("error", "The configuration was not reloaded: it has errors. The gateway goes on as it was.");
      return;
    }
    try {
      await this.#gateway.reload(config);
      if (this.#isWatching) await this.watch();
      this.#tell("info", "The configuration was reloaded.");
    } catch (error) {
      const reason = error instanceof ToolwireError ? error.message : "Internal error.";
      this.#tell("error", `The configuration was not reloaded. The gateway goes on as it was. ${reason}`);
    }
  }

  #tell(level: GatewayEvent["level"], message: string): void {
    this.#console.tell(writeEvent({ level, message }));
  }

  close(): void {
    this.#watch.close();
  }
}

/** Resolves at the first signal that ends the program. */
function waitForSignal(): Promise<void> {
  return new Promise((end) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => end());
  });
}

/** One line of JSON for each event, as log collectors expect it. */
function writeEvent({ level, message, server, error, adminToken }: GatewayEvent): string {
  return JSON.stringify({ time: new Date().toISOString(), level, server, message, error, adminToken });
}
