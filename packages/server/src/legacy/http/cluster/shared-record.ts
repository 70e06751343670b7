import { ErrorCode, RpcError } from "@toolwire/protocol";
import type { ConnectionSharing, ServerConnection, SharedChange } from "../../../binding.ts";
import type { Cluster } from "../../../cluster/cluster.ts";
import type { SessionRecord, SessionRoom } from "../../../cluster/sessions.ts";
import { Unavailable } from "../../../errors.ts";
import { askNode, reach, tellAll } from "./reach.ts";
import { writeQuestionId } from "./ids.ts";

/** The most bytes of facts that an engine keeps of a session. */
const MAX_FACTS = 16 * 1024;

/** How long sessions are kept, and how many there may be. */
export interface SharedLimits extends SessionRoom {
  readonly idleTimeout: number;
}

/** The record of one session in the engine, and what this node knows of it. */
export class SharedRecord implements ConnectionSharing {
  readonly known: SessionRecord | undefined;
  readonly maxFacts: number = MAX_FACTS;
  readonly id: string;
  /** Whether the engine has it. */
  isKept: boolean;
  isReady: boolean;
  /** The latest change, while it is being kept. */
  latest: Promise<void> | undefined;
  /** When the engine was last read, and when it last said that the session is there. */
  readAt: number = performance.now();
  confirmedAt: number = performance.now();
  /** When the session was last prolonged, or was to be. */
  touchedAt: number = performance.now();
  /** Called when the engine has a session that is new. */
  onCreated: (() => void) | undefined;
  /** Whether another node has said that something has changed. */
  isStale = false;
  readonly #cluster: Cluster;
  readonly #limits: SharedLimits;
  readonly #client: string | undefined;
  #state: ServerConnection | undefined;

  /** `known` is the record, unless the session is new. */
  constructor(
    cluster: Cluster,
    limits: SharedLimits,
    { id, client, known }: { readonly id: string; readonly client: string | undefined; readonly known?: SessionRecord },
  ) {
    this.#cluster = cluster;
    this.#limits = limits;
    this.#client = client;
    this.id = id;
    this.known = known;
    this.isKept = known !== undefined;
    this.isReady = known?.isReady ?? false;
  }

  /** Names the state that takes up what other nodes change. */
  connect(state: ServerConnection): void {
    this.#state = state;
  }

  createRequestId(): string {
    return writeQuestionId(this.#cluster.node);
  }

  keep(change: SharedChange): Promise<void> {
    const keeping = this.#keep(change);
    this.latest = keeping;
    return keeping;
  }

  async #keep({ facts, ...change }: SharedChange): Promise<void> {
    if (facts !== undefined) return this.#create(facts);
    await this.#expectThere(reach(this.#cluster.sessions.update(this.id, change)));
    if (change.isReady === true) this.isReady = true;
    if (change.logLevel !== undefined) tellAll(this.#cluster, "legacy.changed", { session: this.id });
    if (change.watch !== undefined || change.unwatch !== undefined) await this.#tellHolder();
  }

  async #create(facts: string): Promise<void> {
    const { id } = this;
    const session = { id, facts, ...(this.#client !== undefined && { client: this.#client }) };
    const { idleTimeout, max, maxPerClient } = this.#limits;
    const outcome = await reach(this.#cluster.sessions.create(session, idleTimeout, { max, maxPerClient }));
    if (outcome === "created") {
      this.isKept = true;
      this.onCreated?.();
    } else if (outcome === "full") throw tooMany("Too many sessions; try again when some have ended.", 503);
    else throw tooMany("Too many sessions of one client; end some, or try again later.", 429);
  }

  /** The change has to be known where the changes are sent from, before the client may rely on it. */
  async #tellHolder(): Promise<void> {
    const { holder } = (await this.read()) ?? {};
    if (holder === undefined || holder.node === this.#cluster.node) return;
    const reply = await askNode(this.#cluster, holder.node, "legacy.changed", { session: this.id });
    if (typeof reply === "object" && reply.value === "failed") throw new Unavailable();
  }

  async refresh(): Promise<void> {
    await this.#expectThere(this.read().then((record) => record !== undefined));
  }

  /** Reads the record, and takes up what other nodes have changed. `undefined` if the session has ended. */
  async read(): Promise<SessionRecord | undefined> {
    this.isStale = false;
    const record = await reach(this.#cluster.sessions.get(this.id));
    this.readAt = performance.now();
    if (record === undefined) return undefined;
    this.confirmedAt = this.readAt;
    this.isReady ||= record.isReady;
    this.#state?.update?.(record);
    return record;
  }

  /** Keeps the session for longer. Returns whether there is one. */
  async touch(): Promise<boolean> {
    const isThere = await reach(this.#cluster.sessions.touch(this.id, this.#limits.idleTimeout));
    if (isThere) this.confirmedAt = performance.now();
    return isThere;
  }

  async #expectThere(asking: Promise<boolean>): Promise<void> {
    if (!(await asking)) throw new RpcError(ErrorCode.InvalidRequest, "The session has ended. Open another one.");
  }
}

function tooMany(message: string, status: 429 | 503): Unavailable {
  return new Unavailable(undefined, { message, status, seconds: 60 });
}
