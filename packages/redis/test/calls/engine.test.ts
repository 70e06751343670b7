import { inspect } from "node:util";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Engine } from "../../src/engine/engine.ts";
import { Script } from "../../src/engine/script.ts";
import { BROKEN, FakeLink, refusal } from "../fake-link.ts";

const never = new Promise<never>(() => {});
const DOWN = { name: "ClusterError", code: "UNAVAILABLE" };

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function create(reply?: (command: readonly string[]) => unknown): {
  link: FakeLink;
  engine: Engine;
  states: boolean[];
} {
  const link = new FakeLink(reply);
  const engine = new Engine(link, 1000);
  const states: boolean[] = [];
  engine.observe((isUp) => states.push(isUp));
  return { link, engine, states };
}

test("a script is named by its hash, and sent if the engine does not know it", async () => {
  const { link, engine } = create(([name]) => {
    if (name === "EVALSHA") throw refusal("NOSCRIPT No matching script.");
    return 7;
  });
  expect(await engine.run(new Script("return 7"), ["a", "b"], [1, "x"])).toBe(7);
  expect(link.sent).toEqual([
    ["EVALSHA", expect.stringMatching(/^[0-9a-f]{40}$/), "2", "a", "b", "1", "x"],
    ["EVAL", "return 7", "2", "a", "b", "1", "x"],
  ]);
});

test("a script is sent if the engine does not know it, also when that is found out after a broken connection", async () => {
  const errors = [BROKEN, refusal("NOSCRIPT No matching script."), BROKEN];
  const { engine } = create(() => {
    const error = errors.shift();
    if (error !== undefined) throw error;
    return 7;
  });
  expect(await engine.run(new Script("return 7"), ["a"])).toBe(7);
});

test("a command is sent once more if its connection breaks, and the engine is down if that breaks, too", async () => {
  const { link, engine, states } = create(() => {
    throw BROKEN;
  });
  await expect(engine.call("a", ["GET", "a"])).rejects.toMatchObject(DOWN);
  expect(link.sent).toHaveLength(2);
  expect({ isUp: engine.isUp, states }).toEqual({ isUp: false, states: [false] });
});

test("while the engine is down, nothing is sent but probes, one after the other", async () => {
  const { link, engine } = create(() => never);
  const first = expect(engine.call("a", ["GET", "a"])).rejects.toMatchObject(DOWN);
  await vi.advanceTimersByTimeAsync(1000);
  await first;
  for (let calls = 0; calls < 100; calls++) await expect(engine.call("a", ["GET", "a"])).rejects.toMatchObject(DOWN);
  await vi.advanceTimersByTimeAsync(1500);
  expect(link.sent).toEqual([["GET", "a"], ["PING"]]);
});

test("an engine that answers a probe is up again", async () => {
  const { link, engine, states } = create(() => {
    throw BROKEN;
  });
  await expect(engine.call("a", ["GET", "a"])).rejects.toMatchObject(DOWN);
  link.reply = () => "PONG";
  await vi.advanceTimersByTimeAsync(50);
  expect({ isUp: engine.isUp, states }).toEqual({ isUp: true, states: [false, true] });
  expect(await engine.call("a", ["GET", "a"])).toBe("PONG");
});

test("a call that is slow does not make the engine down if others are answered meanwhile", async () => {
  const { engine, states } = create(([name]) => (name === "SLOW" ? never : "OK"));
  const slow = expect(engine.call("a", ["SLOW"])).rejects.toMatchObject(DOWN);
  await vi.advanceTimersByTimeAsync(500);
  await engine.call("a", ["GET"]);
  await vi.advanceTimersByTimeAsync(500);
  await slow;
  expect(states).toEqual([]);
});

test("a connection that stays silent is replaced by one of our own, and the client that was given stays open", async () => {
  const { link, engine } = create(() => never);
  const first = expect(engine.call("a", ["GET", "a"])).rejects.toMatchObject(DOWN);
  await vi.advanceTimersByTimeAsync(10_000);
  await first;
  expect(link.duplicates).toHaveLength(1);
  expect(await engine.call("a", ["GET", "a"])).toBe("OK");
  engine.close();
  expect([link.isDestroyed, link.duplicates[0]?.isDestroyed]).toEqual([false, true]);
});

test("a refusal does not make the engine down, unless it cannot work at all, and shows nothing of the command", async () => {
  for (const [text, states] of [
    ["OOM command not allowed when used memory > 'maxmemory'.", []],
    ["ERR unknown command, with args beginning with: 'secret'", []],
    ["CLUSTERDOWN The cluster is down", [false]],
    ["LOADING Redis is loading the dataset in memory", [false]],
  ] as const) {
    const setup = create(() => {
      throw refusal(text);
    });
    const error: unknown = await setup.engine.call("a", ["GET", "secret"]).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ ...DOWN, message: expect.stringContaining(text.split(" ")[0]!) as unknown });
    expect(inspect(error)).not.toContain("secret");
    expect(setup.states).toEqual(states);
    setup.engine.close();
  }
});

test("after the end, calls are refused, and those that wait are", async () => {
  const { engine } = create(() => never);
  const waiting = expect(engine.call("a", ["GET", "a"])).rejects.toMatchObject(DOWN);
  engine.close();
  await waiting;
  await expect(engine.call("a", ["GET", "a"])).rejects.toThrow("left its cluster");
});
