import { ToolwireError } from "@toolwire/server";
import { dirname, resolve } from "node:path";
import { listFiles } from "../../config/list-files.ts";
import { loadConfigFile } from "../../config/load-config.ts";
import { describeProblem } from "../../config/problem.ts";
import type { Gateway, GatewayEvent } from "../../gateway.ts";
import type { Console } from "../command.ts";
import { FileWatch } from "./watch-files.ts";

/** Reloads the configuration of a gateway from its file, one reload after the other. */
export class Reloads {
  readonly #gateway: Gateway;
  readonly #file: string;
  readonly #console: Console;
  readonly #report: (event: GatewayEvent) => void;
  readonly #watch: FileWatch;
  #isWatching = false;
  #running: Promise<void> | undefined;
  #isWanted = false;

  constructor(gateway: Gateway, file: string, console: Console, report: (event: GatewayEvent) => void) {
    this.#gateway = gateway;
    this.#file = file;
    this.#console = console;
    this.#report = report;
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
    this.#report({ level, message });
  }

  close(): void {
    this.#watch.close();
  }
}
