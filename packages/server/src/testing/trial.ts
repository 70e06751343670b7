import { ContractViolation } from "@toolwire/protocol/testing";
import { type Cluster, ClusterError, type ClusterErrorCode } from "../cluster/cluster.ts";
import type { BusListener, BusMessage } from "../cluster/bus.ts";

/** How the suite gets nodes, and what their engine can do. */
export interface ClusterContractOptions {
  /**
   * Adds a node to the engine under test: called several times by each check. Once it has returned, or its promise has resolved, the
   * node hears messages and changes. The engine has to be one for tests alone, or a part of one: checks remove all keys of its ring.
   */
  readonly connect: () => Cluster | Promise<Cluster>;
  /** Releases what a call of `connect` has made. By then, the node has been closed. */
  readonly disconnect?: ((node: Cluster) => void | Promise<void>) | undefined;
  /** The largest body of a message in bytes. Without it, too large messages are not checked. */
  readonly maxMessageBytes?: number | undefined;
  /** How many changes the log keeps, more or less. Without it, changes that were dropped are not checked. */
  readonly maxChanges?: number | undefined;
  /**
   * Restarts the engine with nothing in it, while nodes are connected. Without it, this is not checked. It has to be done within the
   * time limit of a check.
   */
  readonly restartEmpty?: (() => void | Promise<void>) | undefined;
  /** How many milliseconds one check may take. Default 4000. */
  readonly timeout?: number | undefined;
}

/** A rule, and how to find out whether an engine keeps it. */
export interface ClusterCheck {
  readonly name: string;
  run(trial: Trial): Promise<void>;
}

/** The time limit of a check: below the five seconds that vitest and jest allow, so that the check's own words are shown. */
const DEFAULT_TIMEOUT = 4000;

/** How long to wait between two looks at something that the engine does by its own clock. */
const POLL_MS = 10;

/** How much longer than a check something may take that it waits for, so that the check can put into words what it missed. */
const GRACE_MS = 300;

/** How long cleaning up after a check may take, in milliseconds. */
const CLEANUP_MS = 2000;

/** A time for things that have to be there throughout a check, in milliseconds. */
export const LONG: number = 60_000;

/** Rooms without limits that matter. */
export const ROOM: { readonly max: number; readonly maxPerClient: number } = {
  max: 1_000_000,
  maxPerClient: 1_000_000,
};

/** One run of a check: the nodes that it has, and the time that is left. */
export class Trial {
  readonly #options: ClusterContractOptions;
  readonly #deadline: number;
  readonly #nodes: Cluster[] = [];
  #names = 0;
  /** Makes names of this run differ from those of all others, because engines keep what they are given. */
  readonly #run = crypto.randomUUID();

  constructor(options: ClusterContractOptions) {
    this.#options = options;
    this.#deadline = performance.now() + (options.timeout ?? DEFAULT_TIMEOUT);
  }

  /** A name that nothing else has, for a session, a key or a message. */
  name(): string {
    this.#names += 1;
    return `${this.#run}-${this.#names}`;
  }

  async connect(): Promise<Cluster> {
    const node = await this.settle(this.#options.connect(), "`connect` did not give a node in time.");
    this.#nodes.push(node);
    return node;
  }

  async connectTwo(): Promise<[Cluster, Cluster]> {
    return [await this.connect(), await this.connect()];
  }

  async connectThree(): Promise<[Cluster, Cluster, Cluster]> {
    return [await this.connect(), await this.connect(), await this.connect()];
  }

  /** Creates a session without limits, and returns its id. */
  async createSession({ sessions }: Cluster, ttl: number = LONG): Promise<string> {
    const id = this.name();
    const outcome = await this.settle(
      sessions.create({ id, facts: "{}" }, ttl, ROOM),
      "A session was not created in time.",
    );
    expect(outcome === "created", `A session was not created, although there was room: ${JSON.stringify(outcome)}.`);
    return id;
  }

  /** Lets the nodes act at the same moment, in turn and `times` times in all. Returns what each got. */
  atOnce<T>(nodes: readonly Cluster[], times: number, act: (node: Cluster, index: number) => Promise<T>): Promise<T[]> {
    const acting = Array.from({ length: Math.ceil(times / nodes.length) }, (_, round) =>
      nodes.map((node, index) => act(node, round * nodes.length + index)),
    );
    return this.settle(Promise.all(acting.flat()), "Something that nodes did at the same moment was not done in time.");
  }

  /** Settles as the given promise does, but rejects with `problem` if that takes too long. */
  async settle<T>(pending: T | Promise<T>, problem: string, grace = 0): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new ContractViolation(problem)), this.#deadline + grace - performance.now());
    });
    try {
      return await Promise.race([pending, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Looks again and again until a condition holds. Rejects with `explain()` if it does not in time. */
  async until(isMet: () => boolean | Promise<boolean>, explain: () => string): Promise<void> {
    while (!(await this.settle(isMet(), "The engine has not answered in time.", GRACE_MS))) {
      if (performance.now() >= this.#deadline) throw new ContractViolation(explain());
      await new Promise((resolve) => void setTimeout(resolve, POLL_MS));
    }
  }

  /** Runs a check, which puts into words what went wrong. */
  run(check: ClusterCheck): Promise<void> {
    return this.settle(check.run(this), "A method of the engine did not settle in time.", GRACE_MS * 2);
  }

  /** Expects that something is refused with one of the codes of a {@link ClusterError}. */
  async expectRefusal(pending: Promise<unknown>, codes: readonly ClusterErrorCode[], doing: string): Promise<void> {
    const outcome = await this.settle(
      pending.then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      ),
      `${doing} was neither done nor refused in time.`,
    );
    const expected = codes.join(" or ");
    if (!("error" in outcome)) throw new ContractViolation(`${doing} has to be refused with ${expected}.`);
    const { error } = outcome;
    expect(error instanceof ClusterError, `${doing} was refused, but not with a ClusterError: ${String(error)}.`);
    expect(codes.includes(error.code), `${doing} was refused with ${error.code} instead of ${expected}.`);
  }

  /** Closes all nodes. */
  async end(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLEANUP_MS);
    });
    const { disconnect } = this.#options;
    const ending = this.#nodes.map(async (node) => {
      await node.close();
      await disconnect?.(node);
    });
    await Promise.race([late, Promise.allSettled(ending)]);
    clearTimeout(timer);
  }
}

/** What a listener of a node has heard. */
export interface Hearing {
  readonly messages: { readonly message: BusMessage; readonly from: string }[];
  /** Each change once, in the order in which it was heard first. */
  readonly changes: string[];
  /** The place after each batch. */
  readonly places: string[];
  missed: number;
  /** Ends it. */
  stop(): void;
}

/**
 * Listens at a node. `reply` makes replies. Changes of other checks are left out: those that do not begin with `prefix`.
 */
export function hear(
  { bus }: Cluster,
  { prefix = "", reply }: { readonly prefix?: string; readonly reply?: BusListener["message"] } = {},
): Hearing {
  const known = new Set<string>();
  const hearing: Hearing = { messages: [], changes: [], places: [], missed: 0, stop: () => stop() };
  const stop = bus.listen({
    message(message, from) {
      hearing.messages.push({ message, from });
      return reply?.(message, from);
    },
    changes({ changes, place }) {
      const own = changes.filter((change) => change.startsWith(prefix) && !known.has(change));
      for (const change of own) known.add(change);
      hearing.changes.push(...own);
      hearing.places.push(place);
    },
    missed() {
      hearing.missed += 1;
    },
  });
  return hearing;
}

/** Throws a violation unless a condition holds. */
export function expect(condition: boolean, problem: string): asserts condition {
  if (!condition) throw new ContractViolation(problem);
}

/** Throws a violation unless two JSON values are the same. */
export function expectSame(actual: unknown, expected: unknown, what: string): void {
  const [is, shouldBe] = [JSON.stringify(actual), JSON.stringify(expected)];
  expect(is === shouldBe, `${what}: expected ${shorten(shouldBe)}, and got ${shorten(is)}.`);
}

function shorten(text: string | undefined): string {
  return text === undefined ? "nothing" : text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
