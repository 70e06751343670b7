import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { FileStore } from "../../src/auth/node/file-store.ts";
import type { AuthNetwork } from "../../src/auth/network/network.ts";
import { KeptGrant } from "../../src/auth/providers/kept-grant.ts";
import type { TokenSource } from "../../src/auth/providers/token-source.ts";
import type { AuthStore } from "../../src/auth/store/auth-store.ts";
import { Breaker } from "../../src/auth/store/breaker.ts";
import { RotatingTokens } from "./lab/rotating-tokens.ts";
import { type LinkEvent, type Machine, seededRandom, SimulatedMachines } from "./lab/simulated-machines.ts";

const ISSUER = {
  issuer: "https://as.example",
  token_endpoint: "https://as.example/token",
  revocation_endpoint: "https://as.example/revoke",
};
const SERVER = new URL("https://mcp.example/mcp");
const RULES = {
  pinned: undefined,
  resourceMatch: "prefix",
  sendsResource: true,
  strictIssuer: false,
  legacyDiscovery: true,
  needsLogin: true,
  assumesPkce: false,
} as const;

/** One simulated run: processes that share a store, a user who logs in and out, and everything that may be counted. */
class World {
  readonly machines: SimulatedMachines;
  readonly server = new RotatingTokens();
  readonly random: () => number;
  /** How often a process was stopped or killed while it had a refresh token in use. */
  excuses = 0;
  /** How often a grant was given up by anything but a logout. */
  lostLogins = 0;
  /** The logins that were begun, and the processes that are in the middle of one. */
  logins = 0;
  readonly loggingIn = new Set<Machine>();
  /** Whether a logout is complete, and no login was begun since. */
  isLoggedOut = false;
  /** How many values of the store have counted, how many writes were reported as done, and how many have no outcome. */
  landed = 0;
  reported = 0;
  unknown = 0;
  /** The first thing that went wrong in a process: its promises have nobody who waits for them. */
  failure: Error | undefined;
  readonly #versions = new Map<string, string>();

  constructor(seed: number) {
    this.random = seededRandom(seed);
    this.machines = new SimulatedMachines(this.random, (event) => this.#check(event));
  }

  fail(error: Error): void {
    this.failure ??= error;
  }

  /** Whatever counts was written by somebody who had seen what counted before. */
  #check({ folder, number, highest, content }: LinkEvent): void {
    if (number <= highest) return;
    const { version, history, value, key } = JSON.parse(content) as {
      readonly version: string;
      readonly history: readonly string[];
      readonly value?: unknown;
      readonly key: string;
    };
    if (history[0] !== this.#versions.get(folder)) {
      this.fail(new Error("A value counts whose writer had not seen the last one."));
    }
    this.#versions.set(folder, version);
    if (folder.endsWith(".lock")) return;
    this.landed += 1;
    if (key.startsWith("grant ") && value !== undefined && this.isLoggedOut) {
      this.fail(new Error("A grant is kept after a logout, and nobody has logged in."));
    }
  }
}

/** One process with the client's code, one operation at a time. */
class Actor {
  machine: Machine;
  /** Whether a refresh token is in use: it was claimed, and its outcome is not kept yet. */
  isRefreshing = false;
  readonly #world: World;
  #kept: KeptGrant;
  #operation = "";

  constructor(world: World) {
    this.#world = world;
    this.machine = world.machines.start();
    this.#kept = this.#open();
  }

  /** Kills the process, and starts another one in its place. */
  restart(): void {
    this.machine.isCrashed = true;
    this.#world.loggingIn.delete(this.machine);
    this.machine = this.#world.machines.start();
    this.isRefreshing = false;
    this.#kept = this.#open();
  }

  run(name: "use" | "login" | "logout"): void {
    const { machine } = this;
    machine.isBusy = true;
    this.#operation = name;
    const work = { use: () => this.#use(), login: () => this.#logIn(), logout: () => this.#logOut() }[name];
    void work()
      .catch((error: unknown) => {
        // Whoever was stopped for long may be told that nothing is known of what it wrote.
        if (!/stopped|all the time/.test(String(error))) this.#world.fail(error as Error);
      })
      .finally(() => {
        machine.isBusy = false;
      });
  }

  async #use(): Promise<void> {
    const { server } = this.#world;
    const kept = this.#kept;
    await kept.load();
    const grant = kept.current;
    if (grant === undefined || (await this.#ask(() => server.accepts(grant.accessToken)))) return;
    await kept.reload();
    if (kept.hasOther(grant.accessToken)) return;
    if (await kept.refresh(kept.current ?? grant, ISSUER, new AbortController().signal)) return;
    await this.#logIn(grant.accessToken);
  }

  async #logIn(rejected?: string): Promise<void> {
    const world = this.#world;
    const { machine } = this;
    await this.#kept.whileOthersWait(new AbortController().signal, async () => {
      await this.#kept.reload();
      if (rejected !== undefined && this.#kept.hasOther(rejected)) return;
      world.logins += 1;
      world.loggingIn.add(machine);
      world.isLoggedOut = false;
      const response = await this.#ask(() => world.server.logIn());
      const tokens = {
        accessToken: response.access_token,
        refreshToken: response.refresh_token,
        tokenType: "Bearer",
        granted: undefined,
        lifetime: undefined,
        issuedTokenType: undefined,
      } as const;
      const place = { issuer: ISSUER, resource: SERVER.href, isGuessed: false };
      await this.#kept.keep({ tokens, clientId: "app", scopes: undefined, dpop: undefined, place });
      world.loggingIn.delete(machine);
    });
  }

  async #logOut(): Promise<void> {
    const world = this.#world;
    const before = world.logins;
    const canTell = world.loggingIn.size === 0;
    const grant = await this.#kept.discard();
    if (grant === undefined) return;
    world.isLoggedOut = canTell && world.logins === before;
    await this.#ask(() => world.server.revoke(grant.refreshToken!));
  }

  /** A message to the server and its response: the process can be stopped before and after either. */
  async #ask<T>(action: () => T): Promise<T> {
    const { machines } = this.#world;
    const { machine } = this;
    const result = await machines.step(machine, action);
    return machines.step(machine, () => result);
  }

  #open(): KeptGrant {
    const { machines, server } = this.#world;
    const { machine } = this;
    const store: AuthStore = new FileStore(machines.filesOf(machine), "the disk", undefined, machines.clockOf(machine));
    const watched: AuthStore = {
      get: (key) => store.get(key),
      lock: (key, work, options) => store.lock!(key, work, options),
      swap: async (key, expected, next) => {
        const isClaim =
          (next as { readonly renewal?: number } | undefined)?.renewal !== undefined && !this.isRefreshing;
        if (isClaim && machine === this.machine) this.isRefreshing = true;
        const changes = next !== undefined || expected !== undefined;
        if (changes) this.#world.unknown += 1;
        const isWritten = await store.swap(key, expected, next);
        if (changes) this.#world.unknown -= 1;
        if (isWritten && changes) this.#world.reported += 1;
        if (isWritten && next === undefined && expected !== undefined && this.#operation !== "logout") {
          this.#world.lostLogins += 1;
        }
        return isWritten;
      },
    };
    const fetch = async (url: string, { body }: RequestInit): Promise<Response> => {
      const form = new URLSearchParams(body as URLSearchParams);
      if (url === ISSUER.revocation_endpoint) {
        await this.#ask(() => server.revoke(form.get("token")!));
        return new Response(null, { status: 200 });
      }
      const tokens = await this.#ask(() => server.refresh(form.get("refresh_token")!));
      const json = { headers: { "content-type": "application/json" } };
      if (tokens !== undefined) return Response.json(tokens, json);
      return Response.json({ error: "invalid_grant" }, { status: 400, ...json });
    };
    const source: TokenSource = {
      identity: ["authorization_code", "app"],
      needsUser: true,
      knownIssuers: () => [],
      obtain: () => Promise.reject(new Error("unused")),
      clientOf: async () => ({ id: "app", method: "none", origin: "configured" }),
      forgetClient: async () => {},
    };
    return new KeptGrant({
      server: SERVER,
      network: () => ({ fetch }) as unknown as AuthNetwork,
      source,
      store: watched,
      rules: RULES,
      account: undefined,
      dpop: false,
      tokenRequests: new Breaker({ attempts: Infinity, what: "token requests" }),
      changed: () => {},
    });
  }
}

/** What may happen in a run besides calls, logins and logouts. */
interface Disturbances {
  readonly stops: boolean;
  readonly kills: boolean;
}

async function simulate(seed: number, count: number, { stops, kills }: Disturbances): Promise<World> {
  const world = new World(seed);
  const { random, machines, server } = world;
  const actors = Array.from({ length: count }, () => new Actor(world));
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const disturb = (actor: Actor): void => {
    if (actor.isRefreshing) world.excuses += 1;
  };
  actors[0]!.run("login");
  for (let turn = 0; turn < 600; turn += 1) {
    const chance = random();
    const actor = pick(actors);
    if (chance < 0.06 && !actor.machine.isBusy) actor.run("use");
    else if (chance < 0.064 && !actor.machine.isBusy) actor.run("logout");
    else if (chance < 0.07 && !actor.machine.isBusy) actor.run("login");
    else if (chance < 0.08) server.expireAll();
    else if (chance < 0.1 && stops) {
      disturb(actor);
      actor.machine.isStopped = true;
    } else if (chance < 0.13) actor.machine.isStopped = false;
    else if (chance < 0.135 && kills) {
      disturb(actor);
      actor.restart();
    } else await machines.advance();
    await machines.settle();
    for (const other of actors) if (!other.machine.isBusy) other.isRefreshing = false;
  }
  for (const actor of actors) actor.machine.isStopped = false;
  // Everybody ends what they have begun: no lock is held for ever.
  for (let turn = 0; actors.some(({ machine }) => machine.isBusy); turn += 1) {
    expect(turn).toBeLessThan(20_000);
    await machines.advance();
    await machines.settle();
  }
  refreshes += server.refreshes;
  excuses += world.excuses;
  if (world.failure !== undefined) throw world.failure;
  // What was reported as written has counted, and nothing else has, except writes of which a killed process has heard nothing.
  expect(world.landed).toBeGreaterThanOrEqual(world.reported);
  expect(world.landed).toBeLessThanOrEqual(world.reported + world.unknown);
  return world;
}

const seeds = fc.integer();

/** Counts over many runs, which show that there was something to go wrong. */
let refreshes = 0;
let excuses = 0;
beforeEach(() => {
  refreshes = 0;
  excuses = 0;
});

const counts = fc.integer({ min: 2, max: 4 });

test("processes that run on never use a refresh token twice, and nobody is logged out", async () => {
  await fc.assert(
    fc.asyncProperty(seeds, counts, async (seed, count) => {
      const { server, lostLogins } = await simulate(seed, count, { stops: false, kills: false });
      expect({ reuses: server.reuses, lostLogins }).toEqual({ reuses: 0, lostLogins: 0 });
    }),
    { numRuns: 30 },
  );
  expect(refreshes).toBeGreaterThan(30);
});

test("processes that are stopped and killed anywhere lose no more logins than they had refresh tokens in use", async () => {
  await fc.assert(
    fc.asyncProperty(seeds, counts, async (seed, count) => {
      const { server, lostLogins, excuses: most } = await simulate(seed, count, { stops: true, kills: true });
      expect(server.reuses).toBeLessThanOrEqual(most);
      expect(lostLogins).toBeLessThanOrEqual(most);
    }),
    { numRuns: 60 },
  );
  expect(refreshes).toBeGreaterThan(30);
  expect(excuses).toBeGreaterThan(10);
});
