import { type Cluster, ClusterError, createMemoryEngine, type LoggedEvent } from "../../src/cluster/index.ts";

/** Replaces some methods of an object and passes all others on. */
function change<T extends object>(target: T, overrides: Partial<T>): T {
  return new Proxy(target, {
    get(_target, name): unknown {
      if (Object.hasOwn(overrides, name)) return Reflect.get(overrides, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

type Break = (node: Cluster, others: readonly Cluster[]) => Partial<Cluster>;

const sessions =
  (overrides: (node: Cluster) => Partial<Cluster["sessions"]>): Break =>
  (node) => ({ sessions: change(node.sessions, overrides(node)) });

const events =
  (overrides: (node: Cluster) => Partial<Cluster["events"]>): Break =>
  (node) => ({ events: change(node.events, overrides(node)) });

const bus =
  (overrides: (node: Cluster, others: readonly Cluster[]) => Partial<Cluster["bus"]>): Break =>
  (node, others) => ({ bus: change(node.bus, overrides(node, others)) });

const limits =
  (overrides: (node: Cluster) => Partial<Cluster["limits"]>): Break =>
  (node) => ({ limits: change(node.limits, overrides(node)) });

const once =
  (overrides: (node: Cluster) => Partial<Cluster["once"]>): Break =>
  (node) => ({ once: change(node.once, overrides(node)) });

const keys =
  (overrides: (node: Cluster) => Partial<Cluster["keys"]>): Break =>
  (node) => ({ keys: change(node.keys, overrides(node)) });

/** Lets two steps of the engine be what has to be one. */
const pause = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

const DAY = 86_400_000;

/** An engine in memory whose nodes are broken. */
export function createBrokenEngine(breaks: Break): { connect(): Cluster } {
  const engine = createMemoryEngine({ maxMessageBytes: 100_000_000 });
  const nodes: Cluster[] = [];
  return {
    connect() {
      const node = engine.connect();
      nodes.push(node);
      return change(node, breaks(node, nodes));
    },
  };
}

/** What breaks the contract, the beginning of the rule that it breaks, and how. */
export const BROKEN: readonly (readonly [what: string, rule: string, breaks: Break])[] = [
  // Sessions.
  [
    "loses the client of a session",
    "A session is found at every node, as it was created",
    sessions((node) => ({
      create: ({ id, facts }, ...rest) => node.sessions.create({ id, facts }, ...rest),
    })),
  ],
  [
    "keeps sessions for each node",
    "A session is found at every node, as it was created",
    () => {
      const own = createMemoryEngine().connect();
      return { sessions: own.sessions };
    },
  ],
  [
    "changes text",
    "A session is found at every node, as it was created",
    sessions((node) => ({
      create: (session, ...rest) =>
        node.sessions.create({ ...session, facts: session.facts.replaceAll("$1", "") }, ...rest),
    })),
  ],
  [
    "creates a session by a touch",
    "A session that never was is not found",
    sessions((node) => ({
      async touch(id, ttl) {
        await node.sessions.create({ id, facts: "{}" }, ttl, { max: Infinity, maxPerClient: Infinity });
        return true;
      },
    })),
  ],
  [
    "ends sessions that never were",
    "A session that never was is not found",
    sessions(() => ({ end: async () => true })),
  ],
  [
    "begins a session anew",
    "Creating a session again",
    sessions((node) => ({
      async create(session, ...rest) {
        await node.sessions.end(session.id);
        return node.sessions.create(session, ...rest);
      },
    })),
  ],
  [
    "keeps sessions for ever",
    "A session ends after its time",
    sessions((node) => ({
      create: (session, _ttl, room) => node.sessions.create(session, DAY, room),
    })),
  ],
  [
    "ignores a touch",
    "Touching a session keeps it",
    sessions((node) => ({
      touch: async (id) => (await node.sessions.get(id)) !== undefined,
    })),
  ],
  [
    "forgets to stop watching",
    "Changes of a session apply at all nodes",
    sessions((node) => ({
      update: (id, { unwatch: _unwatch, ...rest }) => node.sessions.update(id, rest),
    })),
  ],
  [
    "reads a session, and writes it back later",
    "Changes of several nodes at the same moment",
    sessions((node) => ({
      async update(id, { watch, ...rest }) {
        const found = await node.sessions.get(id);
        await pause();
        for (const uri of (await node.sessions.get(id))?.watched ?? []) {
          if (found?.watched.includes(uri) !== true) await node.sessions.update(id, { unwatch: uri });
        }
        return node.sessions.update(id, { watch, ...rest });
      },
    })),
  ],
  [
    "gives all holders one fence",
    "Each claim of a session gets a greater fence",
    sessions((node) => ({
      async claim(id, holder) {
        const claimed = await node.sessions.claim(id, holder);
        return claimed && { ...claimed, fence: 1 };
      },
    })),
  ],
  [
    "forgets who was the holder",
    "Each claim of a session gets a greater fence",
    sessions((node) => ({
      async claim(id, holder) {
        const claimed = await node.sessions.claim(id, holder);
        return claimed && { fence: claimed.fence };
      },
    })),
  ],
  [
    "claims in two steps",
    "Of several claims at the same moment",
    sessions((node) => ({
      async claim(id, holder) {
        const previous = (await node.sessions.get(id))?.holder;
        await pause();
        const claimed = await node.sessions.claim(id, holder);
        return claimed && { fence: claimed.fence, previous };
      },
    })),
  ],
  [
    "releases whoever holds a session",
    "Only the fence that holds a session",
    sessions((node) => ({
      async release(id) {
        const { holder } = (await node.sessions.get(id)) ?? {};
        if (holder !== undefined) await node.sessions.release(id, holder.fence);
      },
    })),
  ],
  [
    "ends a session in two steps",
    "Of several callers that end a session",
    sessions((node) => ({
      async end(id) {
        const isThere = (await node.sessions.get(id)) !== undefined;
        await pause();
        await node.sessions.end(id);
        return isThere;
      },
    })),
  ],
  [
    "keeps events of sessions that have ended",
    "The end of a session deletes the events",
    events((node) => ({
      append: (session, ...rest) => node.events.append(`kept-${session}`, ...rest),
      read: (session, ...rest) => node.events.read(`kept-${session}`, ...rest),
    })),
  ],
  [
    "does not count the sessions of a client",
    "A client has no more sessions",
    sessions((node) => ({
      create: (session, ttl, room) => node.sessions.create(session, ttl, { ...room, maxPerClient: Infinity }),
    })),
  ],
  [
    "counts sessions of a client that have ended",
    "A client has no more sessions",
    (() => {
      const counts = new Map<string, number>();
      return sessions((node) => ({
        async create(session, ttl, room) {
          const { client } = session;
          if (client === undefined) return node.sessions.create(session, ttl, room);
          const count = counts.get(client) ?? 0;
          if (count >= room.maxPerClient) return "fullOfClient";
          counts.set(client, count + 1);
          return node.sessions.create(session, ttl, room);
        },
      }));
    })(),
  ],
  [
    "takes any number of sessions",
    "There are no more sessions than",
    sessions((node) => ({
      create: (session, ttl, room) => node.sessions.create(session, ttl, { ...room, max: Infinity }),
    })),
  ],
  [
    "takes facts of any size",
    "Facts of 16 KiB are kept",
    sessions((node) => ({
      create: (session, ttl, room) =>
        node.sessions.create({ ...session, facts: session.facts.slice(0, 16 * 1024) }, ttl, room),
    })),
  ],
  [
    "cuts facts off",
    "Facts of 16 KiB are kept",
    sessions((node) => ({
      create: (session, ttl, room) =>
        node.sessions.create({ ...session, facts: session.facts.slice(0, 1000) }, ttl, room),
    })),
  ],
  [
    "ends the sessions of a node with it",
    "A session survives the node",
    (node) => {
      const created = new Set<string>();
      return {
        sessions: change(node.sessions, {
          create(session, ...rest) {
            created.add(session.id);
            return node.sessions.create(session, ...rest);
          },
        }),
        async close() {
          for (const id of created) await node.sessions.end(id);
          await node.close();
        },
      };
    },
  ],

  // Events.
  [
    "reads events in reverse",
    "Events are read at every node",
    events((node) => ({
      async read(...given) {
        const found = await node.events.read(...given);
        return found && { ...found, events: found.events.toReversed() };
      },
    })),
  ],
  [
    "ignores the limit of a reader",
    "Events are read at every node",
    events((node) => ({
      read: (session, stream, after) => node.events.read(session, stream, after, Infinity),
    })),
  ],
  [
    "finds streams that never were",
    "A stream of which nothing is kept",
    events((node) => ({
      async read(...given) {
        const none = { events: [], isComplete: false, hasGap: false, reader: 0 };
        return (await node.events.read(...given)) ?? none;
      },
    })),
  ],
  [
    "changes the text of events",
    "The text of an event comes back",
    events((node) => ({
      append: (session, stream, given, options) => {
        const changed = given.map(({ sequence, data }) => ({ sequence, data: data.replaceAll("\u2028", " ") }));
        return node.events.append(session, stream, changed, options);
      },
    })),
  ],
  [
    "keeps one stream for each session",
    "Streams of one session, and streams of the same key",
    events((node) => ({
      append: (session, _stream, ...rest) => node.events.append(session, "p", ...rest),
      read: (session, _stream, ...rest) => node.events.read(session, "p", ...rest),
    })),
  ],
  [
    "appends an event again",
    "An event whose sequence is not above",
    (() => {
      const kept = new Map<string, LoggedEvent[]>();
      return events(() => ({
        async append(session, stream, given) {
          kept.set(`${session} ${stream}`, [...(kept.get(`${session} ${stream}`) ?? []), ...given]);
        },
        read: async (session, stream, after) => ({
          events: (kept.get(`${session} ${stream}`) ?? []).filter(({ sequence }) => sequence > after),
          isComplete: false,
          hasGap: false,
          reader: 0,
        }),
      }));
    })(),
  ],
  [
    "completes a stream before its last event was read",
    "A stream is complete once",
    events((node) => ({
      async read(session, stream, after, limit) {
        const found = await node.events.read(session, stream, after, limit);
        const all = await node.events.read(session, stream, 0, Infinity);
        return found && { ...found, isComplete: all?.isComplete ?? false };
      },
    })),
  ],
  [
    "forgets that a stream is complete",
    "A stream is complete once",
    events((node) => ({
      async read(...given) {
        const found = await node.events.read(...given);
        return found && { ...found, isComplete: found.isComplete && found.events.length > 0 };
      },
    })),
  ],
  [
    "does not tell of events that never came",
    "A stream may begin after the first event",
    events((node) => ({
      async read(...given) {
        const found = await node.events.read(...given);
        return found && { ...found, hasGap: false };
      },
    })),
  ],
  [
    "keeps everything of a stream",
    "At most `maxBytes` of a stream are kept",
    events((node) => ({
      append: (session, stream, given, options) =>
        node.events.append(session, stream, given, { ...options, maxBytes: Infinity }),
    })),
  ],
  [
    "drops the last event, too",
    "At most `maxBytes` of a stream are kept",
    events((node) => ({
      append: (session, stream, given, options) => {
        const fitting = given.filter(({ data }) => data.length <= options.maxBytes);
        return node.events.append(session, stream, fitting, options);
      },
    })),
  ],
  [
    "keeps streams for ever",
    "A stream ends after its time",
    events((node) => ({
      append: (session, stream, given, options) => node.events.append(session, stream, given, { ...options, ttl: DAY }),
    })),
  ],
  [
    "keeps a stream for the time of its first event",
    "A stream ends after its time",
    (() => {
      const ttls = new Map<string, number>();
      return events((node) => ({
        async append(session, stream, given, options) {
          const key = `${session} ${stream}`;
          const ends = ttls.get(key) ?? performance.now() + options.ttl;
          ttls.set(key, ends);
          await node.events.append(session, stream, given, { ...options, ttl: ends - performance.now() });
        },
      }));
    })(),
  ],
  [
    "gives all readers one number",
    "Each reader that takes a stream over",
    events((node) => ({
      async takeOver(...given) {
        await node.events.takeOver(...given);
        return 1;
      },
    })),
  ],
  ["forgets nothing", "A stream that is forgotten is gone", events(() => ({ forget: async () => {} }))],
  [
    "forgets all streams of a session",
    "A stream that is forgotten is gone",
    events((node) => ({
      async forget(session) {
        await node.sessions.end(session);
      },
    })),
  ],

  // Messages.
  ["has one name for all nodes", "Nodes have different names", () => ({ node: "abcdefghij" })],
  ["has names that say too much", "Nodes have different names", (node) => ({ node: `host-1234-${node.node}` })],
  [
    "sends requests to all nodes",
    "A request reaches the node that it is for",
    bus((node) => ({
      async request(...given) {
        await node.bus.broadcast({ ...given[1], id: crypto.randomUUID() });
        return node.bus.request(...given);
      },
    })),
  ],
  [
    "drops empty texts from bodies",
    "A request reaches the node that it is for",
    bus((node) => ({
      request(to, { body, ...message }, options) {
        return node.bus.request(to, { ...message, body: body === "" ? null : body }, options);
      },
    })),
  ],
  [
    "cannot send to itself",
    "A node can send a request to itself",
    bus((node) => ({
      request(to, ...rest) {
        if (to === node.node) return Promise.reject(new ClusterError("NODE_GONE", "gone"));
        return node.bus.request(to, ...rest);
      },
    })),
  ],
  [
    "replies with the promise of a listener",
    "A reply may be a promise",
    bus((node) => ({
      listen: (listener) =>
        node.bus.listen(
          change(listener, {
            message(...given) {
              const reply = listener.message(...given);
              return reply === undefined ? undefined : { reply };
            },
          }),
        ),
    })),
  ],
  [
    "keeps listeners that have ended",
    "A reply may be a promise",
    bus((node) => ({
      listen(listener) {
        node.bus.listen(listener);
        return () => {};
      },
    })),
  ],
  [
    "handles a message as often as it is sent",
    "A message that is sent again is handled once",
    bus((node) => ({
      request: (to, message, options) => node.bus.request(to, { ...message, id: crypto.randomUUID() }, options),
    })),
  ],
  [
    "replies to a message once",
    "A message that is sent again is handled once",
    (() => {
      const sent = new Set<string>();
      return bus((node) => ({
        async request(to, message, options) {
          if (sent.has(message.id)) return null;
          sent.add(message.id);
          return node.bus.request(to, message, options);
        },
      }));
    })(),
  ],
  [
    "mixes up replies",
    "Many requests at once, both ways",
    (() => {
      let previous: unknown = null;
      return bus((node) => ({
        async request(...given) {
          const reply = await node.bus.request(...given);
          const mixed = previous;
          previous = reply;
          return mixed;
        },
      }));
    })(),
  ],
  [
    "cuts large bodies off",
    "A body of 200 kilobytes arrives whole",
    bus((node) => ({
      request(to, { body, ...message }, options) {
        const cut = typeof body === "string" ? body.slice(0, 8000) : body;
        return node.bus.request(to, { ...message, body: cut }, options);
      },
    })),
  ],
  [
    "does not know that nodes end",
    "A request to a node that has ended",
    bus((node) => ({
      request: (...given) =>
        node.bus.request(...given).catch(() => {
          throw new ClusterError("TIMEOUT", "late");
        }),
    })),
  ],
  [
    "hides that a node has ended behind a reply",
    "A request to a node that ends meanwhile",
    bus((node) => ({
      request: (...given) => node.bus.request(...given).catch(() => null),
    })),
  ],
  [
    "waits longer for a reply than it may",
    "A request that nobody replies to in time",
    bus((node) => ({
      request: (to, message) => node.bus.request(to, message, { timeout: DAY }),
    })),
  ],
  [
    "refuses with errors of its own",
    "A request that nobody replies to in time",
    bus((node) => ({
      request: (...given) =>
        node.bus.request(...given).catch(() => {
          throw new Error("late");
        }),
    })),
  ],
  ["loses broadcasts", "A broadcast reaches all other nodes", bus(() => ({ broadcast: async () => {} }))],
  [
    "sends broadcasts to the sender, too",
    "A broadcast reaches all other nodes",
    bus((node) => ({
      async broadcast(message) {
        await node.bus.request(node.node, message, { timeout: 1000 });
        await node.bus.broadcast(message);
      },
    })),
  ],
  [
    "delivers broadcasts twice",
    "A broadcast reaches all other nodes",
    bus((node) => ({
      listen: (listener) =>
        node.bus.listen(
          change(listener, {
            message(...given) {
              listener.message(...given);
              return listener.message(...given);
            },
          }),
        ),
    })),
  ],
  [
    "cannot be closed twice",
    "Closing a node twice is no error",
    (node) => {
      let isClosed = false;
      return {
        async close() {
          if (isClosed) throw new Error("It is closed.");
          isClosed = true;
          await node.close();
        },
      };
    },
  ],
  ["takes messages of any size", "A message that is larger than the engine takes", bus(() => ({}))],

  // Changes.
  [
    "tells other nodes of changes only",
    "A change reaches the listeners of all nodes",
    bus((node) => {
      const own = new Set<string>();
      return {
        announce(changes) {
          for (const each of changes) own.add(each);
          return node.bus.announce(changes);
        },
        listen: (listener) =>
          node.bus.listen(
            change(listener, {
              changes: ({ changes, place }) =>
                listener.changes({ changes: changes.filter((each) => !own.has(each)), place }),
            }),
          ),
      };
    }),
  ],
  [
    "tells its own listeners of a change at once",
    "All nodes hear changes in one order",
    bus((node) => {
      const listeners = new Set<Parameters<Cluster["bus"]["listen"]>[0]>();
      return {
        async announce(changes) {
          for (const listener of listeners) listener.changes({ changes, place: "0" });
          await pause();
          await node.bus.announce(changes);
        },
        listen(listener) {
          listeners.add(listener);
          return node.bus.listen(listener);
        },
      };
    }),
  ],
  [
    "does not say where its log stands at first",
    "A listener is told where the log stands",
    bus((node) => ({
      listen: (listener) =>
        node.bus.listen(
          change(listener, {
            changes(batch) {
              if (batch.changes.length > 0) listener.changes(batch);
            },
          }),
        ),
    })),
  ],
  [
    "drops what is too much to announce",
    "Changes of 65,536 characters are announced",
    bus((node) => ({ announce: (changes) => node.bus.announce(changes).catch(() => {}) })),
  ],
  [
    "goes on to tell a listener that has ended",
    "A listener that has ended hears no more",
    bus((node) => ({
      listen(listener) {
        node.bus.listen(listener);
        return () => {};
      },
    })),
  ],
  [
    "ignores how many changes are wanted",
    "From the place of a batch, every node reads on",
    bus((node) => ({
      changesAfter: (place) => node.bus.changesAfter(place, 1000),
    })),
  ],
  [
    "reads the change of a place again",
    "From the place of a batch, every node reads on",
    bus((node) => ({
      changesAfter(place, limit) {
        const [epoch, position] = place.split(".");
        return node.bus.changesAfter(`${epoch}.${Math.max(Number(position) - 1, 0)}`, limit);
      },
    })),
  ],
  [
    "fails on places that never were",
    "A place that never was is a gap",
    bus((node) => ({
      async changesAfter(place, limit) {
        if (!place.includes(".")) throw new Error(`No place: ${place}`);
        return node.bus.changesAfter(place, limit);
      },
    })),
  ],
  [
    "begins from the start for places that never were",
    "A place that never was is a gap",
    bus((node) => ({
      async changesAfter(place, limit) {
        const batch = await node.bus.changesAfter(place, limit);
        return batch === "gap" ? { changes: [], place: "0" } : batch;
      },
    })),
  ],
  [
    "skips what was dropped",
    "Once changes were dropped",
    bus((node) => ({
      async changesAfter(place, limit) {
        const batch = await node.bus.changesAfter(place, limit);
        return batch === "gap" ? { changes: [], place } : batch;
      },
    })),
  ],

  // Limits, keys that pass once, and the ring.
  [
    "counts requests for each node",
    "All nodes together take as many tokens",
    () => ({
      limits: createMemoryEngine().connect().limits,
    }),
  ],
  [
    "has one bucket for all keys",
    "All nodes together take as many tokens",
    limits((node) => ({
      take: (_key, bucket) => node.limits.take("all", bucket),
    })),
  ],
  [
    "never fills up a bucket",
    "A bucket fills up again",
    limits((node) => ({
      take: (key, { limit }) => node.limits.take(key, { limit, window: DAY }),
    })),
  ],
  [
    "claims a key in two steps",
    "Of several nodes that claim a key",
    (() => {
      const claimed = new Set<string>();
      return once(() => ({
        async claim(key) {
          const isNew = !claimed.has(key);
          await pause();
          claimed.add(key);
          return isNew;
        },
      }));
    })(),
  ],
  [
    "keeps claimed keys for ever",
    "A key can be claimed again once its time has ended",
    once((node) => ({
      claim: (key) => node.once.claim(key, DAY),
    })),
  ],
  [
    "lists the oldest key first",
    "All nodes see the same ring of keys",
    keys((node) => ({
      list: async () => (await node.keys.list()).toReversed(),
    })),
  ],
  [
    "adds keys whatever the newest one is",
    "All nodes see the same ring of keys",
    keys((node) => ({
      async add(key) {
        const [newest] = await node.keys.list();
        return node.keys.add(key, newest?.id);
      },
    })),
  ],
  [
    "adds keys in two steps",
    "Of several nodes that rotate keys",
    keys((node) => ({
      async add(key, after) {
        const isNewest = (await node.keys.list())[0]?.id === after;
        await pause();
        if (!isNewest) return false;
        return node.keys.add(key, (await node.keys.list())[0]?.id);
      },
    })),
  ],
  [
    "refuses a key that is there already",
    "Of several nodes that rotate keys",
    keys((node) => ({
      async add(key, after) {
        const isThere = (await node.keys.list()).some(({ id }) => id === key.id);
        return !isThere && node.keys.add(key, after);
      },
    })),
  ],
];
