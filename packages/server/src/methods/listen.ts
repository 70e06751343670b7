import {
  ErrorCode,
  MetaKey,
  readListenParams,
  RpcError,
  type ListenResult,
  type SubscriptionFilter,
} from "@toolwire/protocol";
import type { ServedRequest } from "../request/served-request.ts";
import { PatientListener } from "../subscriptions/patient-listener.ts";
import { sendIfPossible, type Change } from "../subscriptions/subscriptions.ts";

/** The most resources that one stream may watch. */
const MAX_WATCHED = 1000;

/** Answers `subscriptions/listen`: acknowledges at once, tells of changes, and responds when the stream ends. */
export function listen(call: ServedRequest, given: object | undefined): Promise<ListenResult> {
  const { notifications } = readListenParams(given);
  const accepted = acceptFilter(call, notifications);
  claimRoom(call);
  return new Promise((resolve) => {
    const stream = new ListenStream(call, accepted, resolve);
    stream.acknowledge();
    call.definition.subscriptions.add(stream);
    call.signal.addEventListener("abort", () => stream.leave(), { once: true });
  });
}

/** How many streams each connection has. */
const counts = new WeakMap<object, number>();

/** Counts another stream of a connection, or refuses it if there are as many as there may be. */
function claimRoom({ definition, origin }: ServedRequest): void {
  const limit = definition.maxSubscriptions;
  const count = counts.get(origin.connection) ?? 0;
  if (count < limit) {
    counts.set(origin.connection, count + 1);
    return;
  }
  throw new RpcError(
    ErrorCode.InternalError,
    `Too many subscriptions on this connection (limit ${limit}): cancel some first.`,
  );
}

/** What of a filter this server can keep: kinds of changes that it cannot have are left out. */
function acceptFilter({ definition }: ServedRequest, wanted: SubscriptionFilter): SubscriptionFilter {
  const { tools, prompts, resources } = definition.capabilities;
  const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions } = wanted;
  return {
    ...(toolsListChanged === true && tools !== undefined && { toolsListChanged }),
    ...(promptsListChanged === true && prompts !== undefined && { promptsListChanged }),
    ...(resourcesListChanged === true && resources !== undefined && { resourcesListChanged }),
    ...(resourceSubscriptions !== undefined &&
      resources !== undefined && { resourceSubscriptions: [...new Set(resourceSubscriptions)].slice(0, MAX_WATCHED) }),
  };
}

class ListenStream extends PatientListener {
  readonly #call: ServedRequest;
  readonly #filter: SubscriptionFilter;
  readonly #watched: ReadonlySet<string>;
  readonly #resolve: (result: ListenResult) => void;
  readonly #meta: { readonly [MetaKey.SubscriptionId]: string | number };
  readonly connection: object;
  #hasLeft = false;

  constructor(call: ServedRequest, filter: SubscriptionFilter, resolve: (result: ListenResult) => void) {
    super();
    this.#call = call;
    this.#filter = filter;
    this.#watched = new Set(filter.resourceSubscriptions);
    this.#resolve = resolve;
    this.#meta = { [MetaKey.SubscriptionId]: call.requestId };
    this.connection = call.origin.connection;
  }

  /** Says what was agreed on. */
  acknowledge(): void {
    void this.send("notifications/subscriptions/acknowledged", { notifications: this.#filter });
  }

  protected override wants(change: Change): boolean {
    return "uri" in change ? this.#watched.has(change.uri) : this.#filter[`${change.list}ListChanged`] === true;
  }

  protected override send(method: string, params: object | undefined): void | Promise<void> {
    const { isOver, reply } = this.#call;
    if (isOver) return;
    return sendIfPossible(() => reply.notify({ jsonrpc: "2.0", method, params: { ...params, _meta: this.#meta } }));
  }

  /** Says both that the stream is torn down (cancellation page) and that this was meant to be (subscriptions page). */
  override end(): void {
    void this.send("notifications/cancelled", {
      requestId: this.#call.requestId,
      reason: "The server ended the subscription.",
    });
    this.leave();
  }

  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    counts.set(this.connection, (counts.get(this.connection) ?? 1) - 1);
    this.#call.definition.subscriptions.delete(this);
    this.#resolve({ _meta: this.#meta });
  }
}
