import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { FaultProxy } from "@toolwire/engines";
import { endsServer } from "./accounts/history.ts";
import { sharesConnection, type Cell } from "./cells.ts";
import type { Ledger } from "./load/ledger.ts";
import { LoadClient } from "./load/load-client.ts";
import { readJournal } from "./servers/journal.ts";
import { isServerRunning } from "./servers/program.ts";
import { ServerKeeper } from "./servers/server-keeper.ts";
import type { PlannedFault } from "./faults/plan-faults.ts";

/** The parts that all cells of a run share. */
export interface RigOptions {
  readonly directory: string;
  readonly seed: number;
  readonly ledger: Ledger;
}

/** How long a client may take to connect again once its server is there. Its own delays add up to far less. */
const RECONNECT_MS = 10_000;

/** How long a fault waits for clients to be answered after the one before. */
const RECOVERY_MS = 5000;

/** The server, proxy and clients of one cell, and everything that can be done to them. */
export class CellRig {
  readonly cell: Cell;
  readonly index: number;
  readonly journal: string;
  readonly #options: RigOptions;
  readonly #keeper: ServerKeeper | undefined;
  readonly #proxy: FaultProxy | undefined;
  #clients: readonly LoadClient[] = [];

  constructor(cell: Cell, index: number, options: RigOptions) {
    this.cell = cell;
    this.index = index;
    this.#options = options;
    this.journal = join(options.directory, `cell-${index}.journal`);
    const { binding, variant } = cell;
    if (binding === "stdio") return;
    const keeper = new ServerKeeper({ binding, variant, journal: this.journal }, (how) =>
      options.ledger.addSighting(index, "server-survives", how),
    );
    this.#keeper = keeper;
    this.#proxy = new FaultProxy(() => keeper.port);
  }

  get clients(): readonly LoadClient[] {
    return this.#clients;
  }

  /** Starts the server, and connects the clients. */
  async start(): Promise<void> {
    const { cell, journal } = this;
    const { seed, ledger } = this.#options;
    await this.#keeper?.start();
    await this.#proxy?.listen();
    this.#clients = cell.routes.map((route, index) => {
      const port = (route === "proxy" ? this.#proxy?.port : this.#keeper?.port) ?? 0;
      return new LoadClient({ cell, cellIndex: this.index, index, seed, ledger, port, journal });
    });
    await Promise.all(this.#clients.map((client) => client.connect()));
  }

  /** Lets one fault happen after the other until the signal aborts. */
  async injectAll(plan: Iterable<PlannedFault>, over: AbortSignal): Promise<void> {
    for (const fault of plan) {
      if (fault.awaitsAnswer) await Promise.all(this.#clients.map((client) => client.isAnswered(RECOVERY_MS, over)));
      await delay(fault.pauseMs);
      if (over.aborted) return;
      await this.#inject(fault);
    }
  }

  /** Closes the clients and ends the server. Nothing is left behind, or it is written down. */
  async close(): Promise<void> {
    const { ledger } = this.#options;
    await Promise.all(this.#clients.map((client) => client.close()));
    this.#proxy?.close();
    if (this.#keeper !== undefined) await this.#stop(this.#keeper);
    for (const pid of readJournal(this.journal).pids.filter(isServerRunning)) {
      ledger.addSighting(this.index, "closes-cleanly", `server process ${pid} is still there`);
    }
  }

  /** Ends what is still running, however the run has ended. */
  async abandon(): Promise<void> {
    this.#proxy?.close();
    for (const client of this.#clients) client.signalServer("SIGKILL");
    await this.#keeper?.kill();
  }

  /** Does something to the server or to the connections. Resolves when all is as before. */
  async #inject({ kind, ms }: PlannedFault): Promise<void> {
    const { ledger } = this.#options;
    const from = performance.now();
    const before = this.#clients.map(({ connections }) => connections);
    const broken = endsServer({ kind }) ? await this.#restart(kind === "kill", ms) : await this.#breakWire(kind, ms);
    // All calls of such a client fail until it has connected again.
    if (sharesConnection(this.cell)) {
      const returned = await Promise.all(
        broken.map((client) => {
          const count = before[client.place.index]!;
          return endsServer({ kind }) ? client.hasOpened(count, RECONNECT_MS) : client.isBack(count, RECONNECT_MS);
        }),
      );
      if (returned.includes(false)) {
        const example = `no new connection within ${RECONNECT_MS} ms after ${kind}`;
        ledger.addSighting(this.index, "keeps-reconnecting", example);
      }
    }
    ledger.addFault({ cell: this.index, kind, from, to: performance.now() });
  }

  /** Returns the clients that lose their connections. */
  async #restart(isKill: boolean, downMs: number): Promise<readonly LoadClient[]> {
    if (this.#keeper === undefined) {
      for (const client of this.#clients) {
        client.startDelay = downMs;
        client.signalServer(isKill ? "SIGKILL" : "SIGTERM");
      }
      return this.#clients;
    }
    if (isKill) {
      this.#proxy?.refuse();
      await this.#keeper.kill();
    } else {
      await this.#stop(this.#keeper);
      this.#proxy?.refuse();
    }
    await delay(downMs);
    await this.#keeper.start();
    await this.#proxy?.listen();
    return this.#clients;
  }

  async #stop(keeper: ServerKeeper): Promise<void> {
    if (await keeper.stop()) return;
    this.#options.ledger.addSighting(this.index, "closes-cleanly", "the server did not end after SIGTERM");
  }

  async #breakWire(kind: PlannedFault["kind"], ms: number): Promise<readonly LoadClient[]> {
    const proxy = this.#proxy!;
    const count = kind === "cut" ? await proxy.cut(ms) : kind === "stall" ? await proxy.stall(ms) : proxy.reset();
    return count === 0 ? [] : this.#clients.filter((_, index) => this.cell.routes[index] === "proxy");
  }
}
