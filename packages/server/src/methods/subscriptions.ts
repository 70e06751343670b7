import { ErrorCode, MetaKey, RpcError, type ListenResult, type SubscriptionFilter } from "@toolwire/protocol";
import { readListenParams } from "@toolwire/protocol/internal";
import type { TopicSubscription } from "../define/extension.ts";
import type { AddedTopic } from "../extensions/compiled-extensions.ts";
import type { Definition } from "../registry/definition.ts";
import { invalidParams } from "../errors.ts";
import { hasScopes, requireScopesOf } from "../request/scopes.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { whenReached } from "../timers.ts";
import type { Change, ListName, TopicChange } from "../subscriptions/changes.ts";
import { requireExtension } from "./added-methods.ts";
import { cutWatched, CollectingListener, sendIfPossible } from "../subscriptions/subscriptions.ts";

/** The most characters of JSON in a request for a stream: every notification repeats its id. */
const MAX_CHARACTERS = 512 * 1024;

/** Answers `subscriptions/listen`: acknowledges at once, tells of changes, and responds when the stream ends. */
export function listen(request: ServedRequest, given: object | undefined): Promise<ListenResult> {
  const { notifications } = readListenParams(given);
  expectShort(request, given);
  const wanted = findTopics(request, notifications);
  if (wanted.length === 0) return openStream(request, notifications, NO_TOPICS);
  return acceptTopics(request, wanted).then((topics) => openStream(request, notifications, topics));
}

function openStream(
  request: ServedRequest,
  notifications: SubscriptionFilter,
  topics: ReadonlyMap<string, TopicSubscription>,
): Promise<ListenResult> {
  const accepted = acceptFilter(request, notifications);
  requireScopesOf(request, request.definition.resources.scopesFor(accepted.resourceSubscriptions ?? []));
  claimRoom(request);
  // The stream may be open for days.
  request.forgetParams();
  return new Promise((resolve) => {
    const stream = new ListenStream(request, accepted, topics, resolve);
    stream.acknowledge();
    request.observation?.acknowledged();
    request.definition.subscriptions.add(stream);
    request.signal.addEventListener("abort", () => stream.leave(), { once: true });
  });
}

function expectShort({ message: { id } }: ServedRequest, params: object | undefined): void {
  if (JSON.stringify([id, params]).length <= MAX_CHARACTERS) return;
  throw invalidParams(`A subscription takes at most ${MAX_CHARACTERS} characters: watch fewer resources with each.`);
}

/** The number of open streams of each caller, by server. */
const counts = new WeakMap<Definition, Map<string | object, number>>();

/** Counts another stream of a caller. Refuses it if the limit is reached. */
function claimRoom(request: ServedRequest): void {
  const limit = request.definition.maxSubscriptions;
  if (countStream(request, 1) <= limit) return;
  countStream(request, -1);
  throw new RpcError(ErrorCode.InternalError, `Too many subscriptions (limit ${limit}): cancel some first.`);
}

/** Changes the number of streams of a caller. An authenticated caller is counted over all its connections. */
function countStream({ definition, principal, origin }: ServedRequest, change: number): number {
  const known = counts.get(definition) ?? new Map<string | object, number>();
  counts.set(definition, known);
  const caller = principal?.id ?? origin.connection;
  const count = (known.get(caller) ?? 0) + change;
  if (count > 0) known.set(caller, count);
  else known.delete(caller);
  return count;
}

const NO_TOPICS: ReadonlyMap<string, TopicSubscription> = new Map();

/** The topics of extensions that a filter names. Clients must declare their extensions. */
function findTopics(
  { definition, clientCapabilities }: ServedRequest,
  wanted: object,
): [string, unknown, AddedTopic][] {
  const { topics } = definition.extensions ?? {};
  if (topics === undefined || topics.size === 0) return [];
  const found = Object.entries(wanted).flatMap(([member, value]): [string, unknown, AddedTopic][] => {
    const added = topics.get(member);
    return added === undefined || value === undefined ? [] : [[member, value, added]];
  });
  for (const [, , { extension }] of found) requireExtension({ clientCapabilities }, extension.id);
  return found;
}

async function acceptTopics(
  request: ServedRequest,
  wanted: readonly (readonly [string, unknown, AddedTopic])[],
): Promise<ReadonlyMap<string, TopicSubscription>> {
  const accepted = new Map<string, TopicSubscription>();
  for (const [member, value, { topic }] of wanted) {
    const subscription = await topic.accept(value, request.context);
    if (subscription !== undefined) accepted.set(member, subscription);
  }
  request.expectWanted();
  return accepted;
}

/** The part of a filter that this server supports. Kinds of changes that it cannot have are left out. */
function acceptFilter({ definition }: ServedRequest, wanted: SubscriptionFilter): SubscriptionFilter {
  const { tools, prompts, resources } = definition.capabilities;
  const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions } = wanted;
  return {
    ...(toolsListChanged === true && tools !== undefined && { toolsListChanged }),
    ...(promptsListChanged === true && prompts !== undefined && { promptsListChanged }),
    ...(resourcesListChanged === true && resources !== undefined && { resourcesListChanged }),
    ...(resourceSubscriptions !== undefined &&
      resources !== undefined && { resourceSubscriptions: cutWatched(resourceSubscriptions) }),
  };
}

const CREDENTIALS_EXPIRED = "The credentials have expired: subscribe again with new ones.";

class ListenStream extends CollectingListener {
  readonly #request: ServedRequest;
  readonly #filter: SubscriptionFilter;
  readonly #topics: ReadonlyMap<string, TopicSubscription>;
  protected override readonly watchedUris: ReadonlySet<string>;
  readonly #resolve: (result: ListenResult) => void;
  readonly #meta: { readonly [MetaKey.SubscriptionId]: string | number };
  readonly connection: object;
  protected override readonly caller: string | undefined;
  /** Stops waiting for the end of the caller's credentials. */
  readonly #forgetExpiry: (() => void) | undefined;
  #hasLeft = false;

  constructor(
    request: ServedRequest,
    filter: SubscriptionFilter,
    topics: ReadonlyMap<string, TopicSubscription>,
    resolve: (result: ListenResult) => void,
  ) {
    super();
    this.#topics = topics;
    this.#request = request;
    this.#filter = filter;
    this.watchedUris = new Set(filter.resourceSubscriptions);
    this.#resolve = resolve;
    this.#meta = { [MetaKey.SubscriptionId]: request.message.id };
    this.connection = request.origin.connection;
    this.caller = request.principal?.id;
    const { expiresAt } = request.principal ?? {};
    this.#forgetExpiry =
      expiresAt === undefined ? undefined : whenReached(expiresAt, () => this.end(CREDENTIALS_EXPIRED));
  }

  /** Confirms the accepted filter. */
  acknowledge(): void {
    const topics = Object.fromEntries(Array.from(this.#topics, ([member, { accepted }]) => [member, accepted]));
    void this.send("notifications/subscriptions/acknowledged", { notifications: { ...this.#filter, ...topics } });
  }

  protected override wants(change: Change): boolean {
    if ("topic" in change) return this.#topics.has(change.topic);
    if ("list" in change) return this.#filter[`${change.list}ListChanged`] === true;
    return this.watchedUris.has(change.uri) && this.#mayWatch(change.uri);
  }

  override missed(lists: readonly ListName[], place?: string): void {
    super.missed(lists, place);
    this.hear(Array.from(this.#topics.keys(), (topic) => ({ topic })));
  }

  /** An extension may have to look up what to say. Events that come meanwhile are collected, as for a client that reads too slowly. */
  protected override async sendEvent({ topic, event }: TopicChange): Promise<void> {
    try {
      const made = await this.#topics.get(topic)?.notify(event);
      for (const { method, params } of made === undefined ? [] : [made].flat()) await this.send(method, params);
    } catch (error) {
      this.#request.diagnose({ level: "error", message: `An event of "${topic}" was not passed on.`, error });
    }
  }

  /** A resource may have been defined, or have got scopes, since the stream was opened. */
  #mayWatch(uri: string): boolean {
    const scopes = this.#request.definition.resources.scopesFor([uri]);
    return scopes === undefined || hasScopes(this.#request, scopes);
  }

  protected override send(method: string, params: object | undefined): void | Promise<void> {
    const { isOver, reply } = this.#request;
    if (isOver) return;
    return sendIfPossible(() => reply.notify({ jsonrpc: "2.0", method, params: { ...params, _meta: this.#meta } }));
  }

  /** Cancels the stream (cancellation page) and responds, which tells the client that the end is intended. */
  override end(reason = "The server ended the subscription."): void {
    void this.send("notifications/cancelled", { requestId: this.#request.message.id, reason });
    this.leave();
  }

  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#forgetExpiry?.();
    countStream(this.#request, -1);
    this.#request.definition.subscriptions.delete(this);
    this.#resolve({ _meta: this.#meta });
  }
}
