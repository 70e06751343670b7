/** Servers on several nodes of a cluster: their clients hear of changes, whichever node announces them. */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Bus, type BusListener, type Cluster, ClusterError, createMemoryEngine } from "../../src/cluster/index.ts";
import { createServer, resource, type Server, type ServerDiagnostic, tool } from "../../src/index.ts";
import { type Change, decodeChange, encodeChange } from "../../src/subscriptions/changes.ts";
import { SharedChanges } from "../../src/subscriptions/shared-changes.ts";
import { LegacyClient, ModernClient } from "../wire-client.ts";

const UPDATED = "notifications/resources/updated";
const TOOLS_CHANGED = "notifications/tools/list_changed";
const INBOX = "mail://inbox";
const OTHER = "mail://other";

const read = (): string => "";
const greet = tool({ run: () => "Hello" });

function define(name = "mail", seen: ServerDiagnostic[] = []): Server {
  return createServer({
    name,
    version: "1",
    tools: {},
    resources: { inbox: resource({ uri: INBOX, read }), other: resource({ uri: OTHER, read }) },
    onDiagnostic: (event) => void seen.push(event),
  });
}

/** A client that listens to everything of a server on a node. */
async function listen(server: Server, cluster: Cluster, id = "ada"): Promise<ModernClient> {
  const client = new ModernClient(server, { cluster, principal: { id } });
  client.start("subscriptions/listen", {
    notifications: { toolsListChanged: true, resourceSubscriptions: [INBOX, OTHER] },
  });
  await client.notification("notifications/subscriptions/acknowledged");
  return client;
}

/** The changes that a client has heard of, once one of the other resource has come, which tests announce last. */
async function heardBy(client: ModernClient | LegacyClient): Promise<unknown[]> {
  const uris = (): unknown[] => client.notifications(UPDATED).map(({ params }) => params.uri);
  await client.until(() => uris().includes(OTHER));
  return uris();
}

/** A cluster of which a test can break the bus. */
class BreakableCluster {
  readonly cluster: Cluster;
  readonly listeners = new Set<BusListener>();
  readonly announced: string[] = [];
  /** Whether the bus knows that it is cut off. */
  isUp = true;
  failure: ClusterError | undefined;

  constructor(whole: Cluster) {
    const { bus } = whole;
    const isUp = (): boolean => this.isUp;
    const broken: Bus = {
      request: (node, message, options) => bus.request(node, message, options),
      broadcast: (message) => bus.broadcast(message),
      announce: async (changes) => {
        if (this.failure !== undefined) throw this.failure;
        this.announced.push(...changes);
        await bus.announce(changes);
      },
      changesAfter: (place, limit) => bus.changesAfter(place, limit),
      listen: (listener) => {
        this.listeners.add(listener);
        const end = bus.listen(listener);
        return () => {
          this.listeners.delete(listener);
          end();
        };
      },
      get isUp() {
        return isUp();
      },
    };
    this.cluster = { ...whole, bus: broken };
  }

  cutOff(): void {
    this.failure = new ClusterError("UNAVAILABLE", "The engine cannot be reached.");
    this.isUp = false;
    for (const listener of this.listeners) listener.stateChanged?.(false);
  }

  repair(): void {
    this.failure = undefined;
    this.isUp = true;
    for (const listener of this.listeners) listener.stateChanged?.(true);
  }
}

describe("clients of several nodes", () => {
  test("hear of changes that another node announces, as do its own", async () => {
    const engine = createMemoryEngine();
    const [here, there] = [define(), define()];
    const clients = [await listen(here, engine.connect()), await listen(there, engine.connect())];
    here.tools.add("greet", greet);
    here.resources.updated(INBOX);
    here.resources.updated(OTHER);
    for (const client of clients) {
      expect(await heardBy(client)).toEqual([INBOX, OTHER]);
      expect(client.notifications(TOOLS_CHANGED)).toHaveLength(1);
    }
  });

  test("hear of changes that a node announces which has no clients", async () => {
    const engine = createMemoryEngine();
    const there = define();
    const bystander = new ModernClient(there, { cluster: engine.connect() });
    const client = await listen(define(), engine.connect());
    there.resources.updated(OTHER);
    expect(await heardBy(client)).toEqual([OTHER]);
    await bystander.disconnect();
  });

  test("hear of changes for their own principal only", async () => {
    const engine = createMemoryEngine();
    const [here, there] = [define(), define()];
    const ada = await listen(here, engine.connect(), "ada");
    const bob = await listen(there, engine.connect(), "bob");
    there.resources.updated(INBOX, { principal: { id: "ada" } });
    there.resources.updated(OTHER);
    expect(await heardBy(ada)).toEqual([INBOX, OTHER]);
    expect(await heardBy(bob)).toEqual([OTHER]);
  });

  test("hear nothing of other servers of the same cluster", async () => {
    const engine = createMemoryEngine();
    const [mail, notes] = [define("mail"), define("notes")];
    const client = await listen(mail, engine.connect());
    const other = await listen(notes, engine.connect());
    notes.resources.updated(INBOX);
    notes.resources.updated(OTHER);
    await heardBy(other);
    mail.resources.updated(OTHER);
    expect(await heardBy(client)).toEqual([OTHER]);
  });

  test("hear of changes in sessions of older revisions, too", async () => {
    const engine = createMemoryEngine();
    const there = define();
    const bystander = new ModernClient(there, { cluster: engine.connect() });
    const client = await LegacyClient.open(define(), { cluster: engine.connect() });
    for (const uri of [INBOX, OTHER]) await client.request("resources/subscribe", { uri });
    there.resources.updated(INBOX);
    there.resources.updated(OTHER);
    expect(await heardBy(client)).toEqual([INBOX, OTHER]);
    await bystander.disconnect();
  });

  test("are told of everything that they watch when changes may have been missed", async () => {
    const node = new BreakableCluster(createMemoryEngine().connect());
    const client = await listen(define(), node.cluster);
    const legacy = await LegacyClient.open(define(), { cluster: node.cluster });
    for (const uri of [INBOX, OTHER]) await legacy.request("resources/subscribe", { uri });
    for (const listener of node.listeners) listener.missed(undefined);
    for (const each of [client, legacy]) {
      expect(await heardBy(each)).toEqual([INBOX, OTHER]);
      expect(each.notifications(TOOLS_CHANGED)).toHaveLength(1);
      // The server has no prompts.
      expect(each.notifications("notifications/prompts/list_changed")).toEqual([]);
    }
  });

  test("hear of changes of their own node while the engine is down, and of those of others when it is back", async () => {
    const engine = createMemoryEngine();
    const node = new BreakableCluster(engine.connect());
    const seen: ServerDiagnostic[] = [];
    const here = define("mail", seen);
    const near = await listen(here, node.cluster);
    const far = await listen(define(), engine.connect());
    node.cutOff();
    here.resources.updated(INBOX);
    here.resources.updated(OTHER);
    expect(await heardBy(near)).toEqual([INBOX, OTHER]);
    expect(far.notifications(UPDATED)).toEqual([]);
    node.repair();
    expect(await heardBy(far)).toEqual([INBOX, OTHER]);
    expect(seen.map(({ level }) => level)).toEqual(["warning", "info"]);
  });

  test("hear of what was announced just before their stream ends", async () => {
    const node = new BreakableCluster(createMemoryEngine().connect());
    const server = define();
    const client = await listen(server, node.cluster);
    server.resources.updated(OTHER);
    await client.served.close();
    expect(await heardBy(client)).toEqual([OTHER]);
    expect(node.announced).toHaveLength(1);
  });

  test("hear of changes directly again once the last binding with the cluster has closed", async () => {
    const node = new BreakableCluster(createMemoryEngine().connect());
    const server = define();
    const first = await listen(server, node.cluster);
    await first.served.close();
    expect(node.listeners.size).toBe(0);
    const client = new ModernClient(server);
    client.start("subscriptions/listen", { notifications: { resourceSubscriptions: [OTHER] } });
    await client.notification("notifications/subscriptions/acknowledged");
    server.resources.updated(OTHER);
    expect(await heardBy(client)).toEqual([OTHER]);
    expect(node.announced).toEqual([]);
  });
});

describe("a server", () => {
  test("listens once, however many bindings bring the cluster", async () => {
    const node = new BreakableCluster(createMemoryEngine().connect());
    const server = define();
    const first = await listen(server, node.cluster);
    const second = await listen(server, node.cluster);
    expect(node.listeners.size).toBe(1);
    await first.served.close();
    server.resources.updated(OTHER);
    expect(await heardBy(second)).toEqual([OTHER]);
  });

  test("takes no second cluster, and says what to do", async () => {
    const engine = createMemoryEngine();
    const server = define();
    const first = await listen(server, engine.connect());
    expect(() => new ModernClient(server, { cluster: engine.connect() })).toThrow(
      '`cluster` is not the one that the server "mail" has already: make one for the process, and give it to all bindings.',
    );
    await first.disconnect();
    const second = await listen(server, engine.connect());
    server.resources.updated(OTHER);
    expect(await heardBy(second)).toEqual([OTHER]);
  });
});

/** The changes of one server on one node, and what its receiver was told. */
function share(bus: Bus, server = "mail") {
  const heard: (Change | "missed")[] = [];
  const places: (string | undefined)[] = [];
  const shared = new SharedChanges(bus, server, {
    hear: (changes, place) => {
      heard.push(...changes);
      places.push(place);
    },
    missed: (place) => {
      heard.push("missed");
      places.push(place);
    },
    stateChanged: () => undefined,
  });
  return { shared, heard, places };
}

describe("shared changes", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  /** Lets everything run that waits for no timer. */
  const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

  test("know where the log stands before there is a change, and read on from there", async () => {
    const engine = createMemoryEngine();
    const { shared, places } = share(engine.connect().bus);
    await settle();
    const { place = "" } = shared;
    expect(place).toMatch(/^[\w.]+$/);
    const other = share(engine.connect().bus, "notes");
    other.shared.announce([{ list: "tools" }]);
    shared.announce([{ uri: INBOX }, { uri: INBOX }]);
    await settle();
    expect(shared.place).not.toBe(place);
    expect(places).toEqual([shared.place]);
    expect(await shared.changesAfter(place, 100)).toEqual({ changes: [{ uri: INBOX }], place: shared.place });
    expect(await shared.changesAfter("elsewhere.1", 100)).toBe("gap");
  });

  test("try again when the engine fails without a word, each time later, and tell this node once", async () => {
    const engine = createMemoryEngine();
    const node = new BreakableCluster(engine.connect());
    const near = share(node.cluster.bus);
    const far = share(engine.connect().bus);
    node.failure = new ClusterError("UNAVAILABLE", "It does not answer.");
    near.shared.announce([{ uri: INBOX }]);
    await vi.advanceTimersByTimeAsync(2999);
    expect(near.heard).toEqual([{ uri: INBOX }]);
    expect(near.places).toEqual([undefined]);
    node.failure = undefined;
    // One second after the first attempt, two after the second.
    expect(far.heard).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(far.heard).toEqual([{ uri: INBOX }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("keep a bounded number of changes for an engine that is down: beyond, everything may have changed", async () => {
    const engine = createMemoryEngine();
    const node = new BreakableCluster(engine.connect());
    const near = share(node.cluster.bus);
    const far = share(engine.connect().bus);
    node.cutOff();
    for (let index = 0; index < 1001; index += 1) near.shared.announce([{ uri: `mail://${index}` }]);
    await settle();
    expect(near.heard).toHaveLength(1001);
    node.repair();
    await settle();
    expect(far.heard).toEqual(["missed"]);
    expect(node.announced).toHaveLength(1);
  });

  test("announce that everything may have changed in place of a URI that is too long", async () => {
    const engine = createMemoryEngine();
    const [near, far] = [share(engine.connect().bus), share(engine.connect().bus)];
    near.shared.announce([{ uri: `mail://${"x".repeat(9000)}` }]);
    await settle();
    expect([near.heard, far.heard]).toEqual([["missed"], ["missed"]]);
  });

  test("send long changes in several pieces that every engine takes", async () => {
    const node = new BreakableCluster(createMemoryEngine().connect());
    const sizes: number[] = [];
    const { announce } = node.cluster.bus;
    const bus: Bus = {
      ...node.cluster.bus,
      isUp: true,
      announce: (changes) => {
        sizes.push(changes.join("").length);
        return announce(changes);
      },
    };
    const near = share(bus);
    near.shared.announce(Array.from({ length: 50 }, (_, index) => ({ uri: `mail://${index}/${"x".repeat(6000)}` })));
    await settle();
    expect(near.heard).toHaveLength(50);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(65_536);
  });

  test("ignore what else is in the log", async () => {
    const { bus } = createMemoryEngine().connect();
    const { heard } = share(bus);
    await bus.announce(["", "{}", "[", "[1]", '[2,"mail","tools"]', '[1,"mail","roots"]', '[1,"mail","uri",1]']);
    await bus.announce([
      '[1,"mail","uri","a",{}]',
      '[1,"mail","url","a",null]',
      '[1,"mail","uri","a","b","c"]',
      "null",
    ]);
    await bus.announce([`[1,"mail","uri","${"x".repeat(9000)}"]`, '[1,"mail","uri","mail://inbox",null]']);
    await settle();
    expect(heard).toEqual([{ uri: INBOX, only: { id: undefined } }]);
  });

  test("are read as they were written", () => {
    const change = fc.oneof(
      fc.record({ list: fc.constantFrom("tools" as const, "prompts" as const, "resources" as const) }),
      fc.record({ uri: fc.string() }),
      fc.record({ uri: fc.string(), only: fc.record({ id: fc.option(fc.string(), { nil: undefined }) }) }),
    );
    fc.assert(
      fc.property(change, fc.string(), fc.string(), (given, server, other) => {
        const text = encodeChange(server, given);
        expect(decodeChange(server, text)).toEqual(given);
        if (other !== server) expect(decodeChange(other, text)).toBeUndefined();
      }),
    );
  });

  test("reach every node in the end, whatever fails in between", async () => {
    const step = fc.oneof(
      fc.record({ node: fc.nat(2), announce: fc.array(fc.nat(5), { minLength: 1, maxLength: 4 }) }),
      fc.record({ node: fc.nat(2), state: fc.constantFrom("down", "silent", "up") }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const engine = createMemoryEngine();
        const nodes = [0, 1, 2].map(() => {
          const broken = new BreakableCluster(engine.connect());
          return { broken, ...share(broken.cluster.bus), expected: new Set<string>() };
        });
        for (const each of steps) {
          const node = nodes[each.node];
          if (node === undefined) continue;
          if ("announce" in each) {
            const uris = each.announce.map((number) => `mail://${number}`);
            // What was heard before says nothing about this change.
            for (const { heard, expected } of nodes) {
              heard.splice(
                0,
                heard.length,
                ...heard.filter((change) => !uris.includes((change as { uri: string }).uri)),
              );
              for (const uri of uris) expected.add(uri);
            }
            node.shared.announce(uris.map((uri) => ({ uri })));
          } else if (each.state === "down") node.broken.cutOff();
          else if (each.state === "silent") node.broken.failure = new ClusterError("TIMEOUT", "It does not answer.");
          else node.broken.repair();
          await settle();
        }
        for (const { broken } of nodes) broken.failure = undefined;
        // The longest pause between two attempts.
        await vi.advanceTimersByTimeAsync(60_000);
        for (const { heard, expected } of nodes) {
          expect(new Set(heard.map((change) => (change as { uri: string }).uri))).toEqual(expected);
        }
        await Promise.all(nodes.map(({ shared }) => shared.end()));
        expect(vi.getTimerCount()).toBe(0);
      }),
      { numRuns: 60 },
    );
  });
});
