import type { Cluster } from "@toolwire/server/cluster";
import { describe, expect, test } from "vitest";
import { Names } from "../../src/engine/names.ts";
import { CLIENTS } from "./clients.ts";
import { useRig } from "./rig.ts";

const rig = useRig();
const names = new Names("toolwire");
const KEEP = { ttl: 60_000, maxBytes: 10_000 };
const ROOM = { max: 1000, maxPerClient: 1000 };

/** A kind of write. `name` is another each time, and `prepare` does what has to be done before. */
interface Write {
  prepare?(node: Cluster, name: string): Promise<unknown>;
  act(node: Cluster, name: string): Promise<unknown>;
  /** What is left of it, as another node sees it. */
  look(node: Cluster, name: string): Promise<unknown>;
  /** A text that only this write sends. Default: what the keys of the session of this name begin with. */
  text?(name: string): string;
}

const create = (node: Cluster, name: string) =>
  node.sessions.create({ id: name, facts: "{}", client: name }, 60_000, ROOM);
const lookAtSession = async (node: Cluster, name: string) => {
  const record = await node.sessions.get(name);
  return record && { ...record, id: "", client: "", holder: { ...record.holder, node: "" } };
};
const lookAtEvents = (node: Cluster, name: string) => node.events.read(name, "p1", 0, 10);
const append = (node: Cluster, name: string) =>
  node.events.append(name, "p1", [{ sequence: 1, data: '"one"' }], { ...KEEP, isLast: true });
const keyOf = (name: string) => ({ id: name.replaceAll("-", "").slice(0, 16), secret: "s".repeat(43) });
const ring = (node: Cluster) => node.keys.list().then((keys) => keys.map(({ id }) => id));

const WRITES: { readonly [kind: string]: Write } = {
  "creating a session": { act: create, look: lookAtSession, text: (name) => names.session(name).record },
  "touching a session": { prepare: create, act: ({ sessions }, id) => sessions.touch(id, 60_000), look: lookAtSession },
  "changing a session": {
    prepare: create,
    act: ({ sessions }, id) => sessions.update(id, { isReady: true, logLevel: "error", watch: "file:///a" }),
    look: lookAtSession,
  },
  "claiming a session": {
    prepare: create,
    act: async ({ sessions, node }, id) => sessions.claim(id, { node, stream: "g1" }),
    look: lookAtSession,
  },
  "releasing a session": {
    prepare: async (node, id) => {
      await create(node, id);
      await node.sessions.claim(id, { node: node.node, stream: "g1" });
    },
    act: ({ sessions }, id) => sessions.release(id, 1),
    look: lookAtSession,
  },
  "ending a session": { prepare: create, act: ({ sessions }, id) => sessions.end(id), look: lookAtSession },
  "appending events": { act: append, look: lookAtEvents },
  "taking a stream over": { act: ({ events }, id) => events.takeOver(id, "p1", 60_000), look: lookAtEvents },
  "forgetting a stream": { prepare: append, act: ({ events }, id) => events.forget(id, "p1"), look: lookAtEvents },
  "taking a token": {
    act: ({ limits }, key) => limits.take(key, { limit: 3, window: 60_000 }),
    async look({ limits }, key) {
      let left = 0;
      while ((await limits.take(key, { limit: 3, window: 60_000 })) === 0) left += 1;
      return left;
    },
    text: (name) => names.limit(name),
  },
  "claiming a key": {
    act: ({ once }, key) => once.claim(key, 60_000),
    look: ({ once }, key) => once.claim(key, 60_000),
    text: (name) => names.once(name),
  },
  "adding a key to the ring": {
    async prepare(node) {
      for (const id of await ring(node)) await node.keys.remove(id);
    },
    act: ({ keys }, name) => keys.add(keyOf(name), undefined),
    look: async (node) => (await ring(node)).length,
    text: (name) => keyOf(name).id,
  },
  "removing a key from the ring": {
    async prepare(node, name) {
      for (const id of await ring(node)) await node.keys.remove(id);
      await node.keys.add(keyOf(name), undefined);
    },
    act: ({ keys }, name) => keys.remove(keyOf(name).id),
    look: async (node) => (await ring(node)).length,
    text: (name) => keyOf(name).id,
  },
};

describe.each(Object.entries(CLIENTS))("%s", (_library, make) => {
  test.each(Object.entries(WRITES))(
    "%s has the same effect and the same outcome if the reply to it is lost",
    async (_kind, { prepare, act, look, text = (name) => names.session(name).base }) => {
      const [node, witness] = [await rig.join(make), await rig.witness()];
      const [calm, cut] = [crypto.randomUUID(), crypto.randomUUID()];
      await prepare?.(witness, calm);
      const expected = { outcome: await act(node, calm), left: await look(witness, calm) };

      await prepare?.(witness, cut);
      const isCut = rig.proxy.cutBeforeReply(text(cut));
      const outcome = await act(node, cut);
      await isCut;
      expect({ outcome, left: await look(witness, cut) }).toEqual(expected);
    },
  );

  test("a change is heard once if the reply to its announcement is lost", async () => {
    const [node, witness] = [await rig.join(make), await rig.witness()];
    const heard: string[] = [];
    witness.bus.listen({
      message: () => undefined,
      changes: ({ changes }) => void heard.push(...changes),
      missed: () => undefined,
    });
    const change = crypto.randomUUID();
    const isCut = rig.proxy.cutBeforeReply(change);
    await node.bus.announce([change]);
    await isCut;
    await node.bus.announce(["after"]);
    await expect.poll(() => heard.at(-1)).toBe("after");
    expect(heard).toEqual([change, "after"]);
  });

  test("a message is handled once and answered if the reply of the engine to it is lost", async () => {
    const [node, witness] = [await rig.join(make), await rig.witness()];
    const heard: unknown[] = [];
    witness.bus.listen({
      message: ({ body }) => heard.push(body),
      changes: () => undefined,
      missed: () => undefined,
    });
    const body = crypto.randomUUID();
    const isCut = rig.proxy.cutBeforeReply(body);
    const reply = await node.bus.request(witness.node, { id: "m1", kind: "x", body }, { timeout: 5000 });
    await isCut;
    expect({ reply, heard }).toEqual({ reply: 1, heard: [body] });

    const news = crypto.randomUUID();
    const isCutAgain = rig.proxy.cutBeforeReply(news);
    await node.bus.broadcast({ id: "m2", kind: "x", body: news });
    await isCutAgain;
    await node.bus.broadcast({ id: "m3", kind: "x", body: "after" });
    await expect.poll(() => heard.at(-1)).toBe("after");
    expect(heard).toEqual([body, news, "after"]);
  });
});
