import { MetaKey, readListenParams, type ListenResult, type SubscriptionFilter } from "@toolwire/protocol";
import type { ServedRequest } from "../request/served-request.ts";
import { sendIfPossible, type Listener, type ListName } from "../subscriptions/subscriptions.ts";

/** The most resources that one stream may watch. */
const MAX_WATCHED = 1000;

/** Answers `subscriptions/listen`: acknowledges at once, tells of changes, and responds when the stream ends. */
export function listen(call: ServedRequest, given: object | undefined): Promise<ListenResult> {
  const { notifications } = readListenParams(given);
  const accepted = acceptFilter(call, notifications);
  call.definition.subscriptions.expectRoom(call.origin.connection);
  return new Promise((resolve) => {
    const stream = new ListenStream(call, accepted, resolve);
    void stream.send("notifications/subscriptions/acknowledged", { notifications: accepted });
    call.definition.subscriptions.add(stream);
    call.signal.addEventListener("abort", () => stream.leave(), { once: true });
  });
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

class ListenStream implements Listener {
  readonly #call: ServedRequest;
  readonly #filter: SubscriptionFilter;
  readonly #watched: ReadonlySet<string>;
  readonly #resolve: (result: ListenResult) => void;
  readonly #meta: { readonly [MetaKey.SubscriptionId]: string | number };

  constructor(call: ServedRequest, filter: SubscriptionFilter, resolve: (result: ListenResult) => void) {
    this.#call = call;
    this.#filter = filter;
    this.#watched = new Set(filter.resourceSubscriptions);
    this.#resolve = resolve;
    this.#meta = { [MetaKey.SubscriptionId]: call.requestId };
  }

  get connection(): object {
    return this.#call.origin.connection;
  }

  hearsOf(list: ListName): boolean {
    return this.#filter[`${list}ListChanged`] === true;
  }

  watches(uri: string): boolean {
    return this.#watched.has(uri);
  }

  send(method: string, params: object | undefined): void | Promise<void> {
    const { isOver, reply } = this.#call;
    if (isOver) return;
    return sendIfPossible(() => reply.notify({ jsonrpc: "2.0", method, params: { ...params, _meta: this.#meta } }));
  }

  /** Says both that the stream is torn down (cancellation page) and that this was meant to be (subscriptions page). */
  end(): void {
    void this.send("notifications/cancelled", {
      requestId: this.#call.requestId,
      reason: "The server ended the subscription.",
    });
    this.leave();
  }

  leave(): void {
    this.#call.definition.subscriptions.delete(this);
    this.#resolve({ _meta: this.#meta });
  }
}
