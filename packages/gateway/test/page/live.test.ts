import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { followCalls, type LiveCalls, type LiveSource } from "../../page/src/api/follow-calls.ts";
import { useLiveCalls } from "../../page/src/api/live.ts";
import { seedCalls } from "../admin/fixture/seeded-calls.ts";
import { HookHost } from "./hooks.ts";

const host = await vi.hoisted(async () => new (await import("./hooks.ts")).HookHost());
vi.mock("preact/hooks", () => host.module);

const CALLS = seedCalls(300);

class FakeSource implements LiveSource {
  static readonly opened: FakeSource[] = [];
  readonly path: string;
  isClosed = false;
  readonly #listeners = new Map<string, (event: { readonly data?: unknown }) => void>();

  constructor(path: string) {
    this.path = path;
    FakeSource.opened.push(this);
  }

  addEventListener(type: string, listener: (event: { readonly data?: unknown }) => void): void {
    this.#listeners.set(type, listener);
  }

  send(type: string, data?: string): void {
    this.#listeners.get(type)?.({ data });
  }

  close(): void {
    this.isClosed = true;
  }
}

/** Frames that the test draws. */
class Frames {
  readonly waiting = new Map<number, () => void>();
  #last = 0;

  readonly request = (run: () => void): number => {
    this.#last += 1;
    this.waiting.set(this.#last, run);
    return this.#last;
  };

  readonly cancel = (frame: number): void => {
    this.waiting.delete(frame);
  };

  draw(): void {
    const runs = [...this.waiting.values()];
    this.waiting.clear();
    for (const run of runs) run();
  }
}

let frames: Frames;

beforeEach(() => {
  FakeSource.opened.length = 0;
  frames = new Frames();
});

function follow(query = "server=a"): { states: LiveCalls[]; source: FakeSource; end: () => void } {
  const states: LiveCalls[] = [];
  const end = followCalls(query, (live) => states.push(live), {
    open: (path) => new FakeSource(path),
    beforeFrame: (run) => {
      const frame = frames.request(run);
      return () => frames.cancel(frame);
    },
  });
  const [source] = FakeSource.opened;
  if (source === undefined) throw new Error("nothing was opened");
  return { states, source, end };
}

describe("a live list", () => {
  test("A list is connecting at first, on when the stream is open, and connecting again when it breaks", () => {
    const { states, source } = follow();
    expect(source.path).toBe("/api/v1/calls/live?server=a");
    expect(states).toEqual([{ calls: [], state: "connecting", missed: 0 }]);
    source.send("open");
    source.send("error");
    source.send("open");
    expect(states.map(({ state }) => state)).toEqual(["connecting", "on", "connecting", "on"]);
  });

  test("A burst of calls is drawn once, newest first, above those that are there", () => {
    const { states, source } = follow();
    const ids = CALLS.slice(0, 5).map(({ id }) => id);
    for (const call of CALLS.slice(0, 3)) source.send("call", JSON.stringify(call));
    expect(frames.waiting.size).toBe(1);
    expect(states).toHaveLength(1);
    frames.draw();
    for (const call of CALLS.slice(3, 5)) source.send("call", JSON.stringify(call));
    frames.draw();
    expect(states).toHaveLength(3);
    expect(states.at(-1)?.calls.map(({ id }) => id)).toEqual(ids.toReversed());
  });

  test("A list keeps the newest 200 calls", () => {
    const { states, source } = follow();
    for (const call of CALLS.slice(0, 250)) source.send("call", JSON.stringify(call));
    frames.draw();
    expect(states.at(-1)?.calls).toHaveLength(200);
    expect(states.at(-1)?.calls[0]?.id).toBe(CALLS[249]?.id);
  });

  test("Calls that were left out are added up", () => {
    const { states, source } = follow();
    source.send("missed", "3");
    source.send("missed", "4");
    expect(states.at(-1)?.missed).toBe(7);
  });

  test("The end of a list closes its stream, and draws nothing that was waiting", () => {
    const { states, source, end } = follow();
    source.send("call", JSON.stringify(CALLS[0]));
    end();
    expect(source.isClosed).toBe(true);
    expect(frames.waiting.size).toBe(0);
    expect(states).toHaveLength(1);
  });
});

describe("the live list of a view", () => {
  beforeEach(() => {
    vi.stubGlobal("EventSource", FakeSource);
    vi.stubGlobal("requestAnimationFrame", (run: () => void) => frames.request(run));
    vi.stubGlobal("cancelAnimationFrame", (frame: number) => frames.cancel(frame));
  });

  afterEach(() => {
    host.leave();
    vi.unstubAllGlobals();
  });

  test("Nothing is opened while the switch is off", () => {
    expect(host.draw(() => useLiveCalls(false, "a=1"))).toEqual({ calls: [], state: "off", missed: 0 });
    expect(FakeSource.opened).toEqual([]);
  });

  test("The switch opens a stream and closes it, with what was waiting to be drawn", () => {
    host.draw(() => useLiveCalls(true, "a=1"));
    const [source] = FakeSource.opened;
    source?.send("open");
    source?.send("call", JSON.stringify(CALLS[0]));
    frames.draw();
    expect(host.draw(() => useLiveCalls(true, "a=1"))).toMatchObject({ state: "on", calls: [{ id: CALLS[0]?.id }] });
    expect(FakeSource.opened).toHaveLength(1);
    source?.send("call", JSON.stringify(CALLS[1]));
    host.draw(() => useLiveCalls(false, "a=1"));
    expect(source?.isClosed).toBe(true);
    expect(frames.waiting.size).toBe(0);
    expect(host.draw(() => useLiveCalls(false, "a=1"))).toMatchObject({ state: "off", calls: [] });
  });

  test("Other filters close the stream and open another one, and leaving the view closes that", () => {
    host.draw(() => useLiveCalls(true, "a=1"));
    host.draw(() => useLiveCalls(true, "a=2"));
    const [first, second] = FakeSource.opened;
    expect([first?.isClosed, second?.isClosed, second?.path]).toEqual([true, false, "/api/v1/calls/live?a=2"]);
    host.leave();
    expect(second?.isClosed).toBe(true);
  });
});

test("The stand-in for hooks runs an effect again only if its inputs have changed", () => {
  const own = new HookHost();
  const runs: string[] = [];
  const draw = (input: string): void =>
    own.draw(() =>
      own.module.useEffect(() => {
        runs.push(`begin ${input}`);
        return () => runs.push(`end ${input}`);
      }, [input]),
    );
  draw("a");
  draw("a");
  draw("b");
  own.leave();
  expect(runs).toEqual(["begin a", "end a", "begin b", "end b"]);
});
