/** A discrete-event simulation of a cluster: real servers, an engine in memory, and time that is only counted. */
import { countMessages, type Load } from "../costs/operations.ts";
import { SimulatedClient } from "./client.ts";
import type { Operation } from "./counting.ts";
import { SimulatedNodes } from "./nodes.ts";
import { settle, VirtualTime } from "./virtual-time.ts";

/** What to simulate, in seconds. */
export interface Simulation {
  readonly load: Load;
  /** How long to let the cluster come to rest before anything is counted, and how long to count. */
  readonly settling: number;
  readonly counting: number;
  readonly seed: number;
}

/** What has happened while it was counted. */
export interface Simulated {
  /** What clients have really done, since chance decides how often. */
  readonly load: Load;
  /** By operation, per second. */
  readonly operations: ReadonlyMap<Operation, number>;
  /** Messages of clients, and news that reached listeners, in all. */
  readonly messages: number;
  readonly news: number;
}

/** The rates of a load: what happens, and how often per second. */
const RATES = ["calls", "questions", "cancellations", "resumptions", "turnover", "reconnections", "changes"] as const;
type Event = (typeof RATES)[number];

/** Simulates a load. Throws if a client does not get what it has asked for. */
export async function simulate({ load, settling, counting, seed }: Simulation): Promise<Simulated> {
  const time = new VirtualTime();
  const chance = new Chance(seed);
  time.install();
  const nodes = new SimulatedNodes(load.nodes, (count) => chance.below(count));
  try {
    const clients = new Clients(nodes, chance, load);
    await clients.fill();
    const acts = listActs(clients, nodes);
    const happen = (until: number): Promise<ReadonlyMap<Event, number>> => run(time, chance, load, acts, until * 1000);
    await happen(settling);
    nodes.counts.clear();
    nodes.news = 0;
    const happened = await happen(settling + counting);
    const operations = new Map([...nodes.counts].map(([operation, count]) => [operation, count / counting]));
    const { news } = nodes;
    await clients.close();
    await nodes.close();
    const rates = Object.fromEntries(RATES.map((event) => [event, (happened.get(event) ?? 0) / counting]));
    const { questions = 0, cancellations = 0, resumptions = 0, calls = 0 } = rates;
    const real = { ...load, ...rates, calls: calls + questions + cancellations + resumptions };
    return { load: real, operations, messages: countMessages(real) * counting, news };
  } finally {
    time.uninstall();
  }
}

/** What clients do when something happens. Calls are those with which nothing else happens. */
function listActs(clients: Clients, nodes: SimulatedNodes): Readonly<Record<Event, () => Promise<void>>> {
  return {
    calls: () => clients.any().call(),
    questions: () => clients.any().answer(),
    cancellations: () => clients.any().cancel(),
    resumptions: () => clients.any().resume(),
    turnover: () => clients.replace(),
    reconnections: async () => clients.anyListener()?.listenAgain(),
    changes: async () => nodes.change(),
  };
}

/** Lets everything happen at random times, one after the other, until a moment. Counts it. */
async function run(
  time: VirtualTime,
  chance: Chance,
  load: Load,
  acts: Readonly<Record<Event, () => Promise<void>>>,
  until: number,
): Promise<ReadonlyMap<Event, number>> {
  const rateOf = (event: Event): number =>
    event === "calls" ? load.calls - load.questions - load.cancellations - load.resumptions : load[event];
  const total = RATES.reduce((sum, event) => sum + rateOf(event), 0);
  const happened = new Map<Event, number>();
  for (;;) {
    const next = time.now + chance.wait(total) * 1000;
    if (!(next < until)) break;
    await time.advanceTo(next);
    let left = chance.next() * total;
    const event = RATES.find((each) => (left -= rateOf(each)) < 0) ?? "calls";
    happened.set(event, (happened.get(event) ?? 0) + 1);
    await acts[event]();
    await settle();
  }
  await time.advanceTo(until);
  return happened;
}

/** The clients of a simulation, some of which listen. */
class Clients {
  readonly #nodes: SimulatedNodes;
  readonly #chance: Chance;
  readonly #load: Load;
  #all: SimulatedClient[] = [];

  constructor(nodes: SimulatedNodes, chance: Chance, load: Load) {
    this.#nodes = nodes;
    this.#chance = chance;
    this.#load = load;
  }

  async fill(): Promise<void> {
    const { sessions, streams } = this.#load;
    for (let count = 0; count < sessions; count += 1) this.#all.push(await this.#begin(count < streams));
    this.#shuffle();
  }

  any(): SimulatedClient {
    return this.#all[this.#chance.below(this.#all.length)] as SimulatedClient;
  }

  anyListener(): SimulatedClient | undefined {
    const listeners = this.#all.filter(({ isListening }) => isListening);
    return listeners[this.#chance.below(listeners.length)];
  }

  /** A session ends, and another one like it begins. */
  async replace(): Promise<void> {
    const index = this.#chance.below(this.#all.length);
    const old = this.#all[index] as SimulatedClient;
    const { isListening } = old;
    await old.end();
    this.#all[index] = await this.#begin(isListening);
  }

  async close(): Promise<void> {
    for (const client of this.#all) await client.end();
    this.#all = [];
  }

  async #begin(isListening: boolean): Promise<SimulatedClient> {
    const client = new SimulatedClient(this.#nodes);
    await client.begin();
    if (isListening) await client.listen();
    return client;
  }

  #shuffle(): void {
    for (let last = this.#all.length - 1; last > 0; last -= 1) {
      const other = this.#chance.below(last + 1);
      [this.#all[last], this.#all[other]] = [this.#all[other] as SimulatedClient, this.#all[last] as SimulatedClient];
    }
  }
}

/** Numbers that are the same for the same seed: the generator mulberry32 of Tommy Ettinger. */
class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to, but not including, this one. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** The time until something happens next that happens so often. */
  wait(rate: number): number {
    return -Math.log(1 - this.next()) / rate;
  }
}
