import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PgDatabase } from "../../src/client/pg.ts";
import { Engine } from "../../src/engine/engine.ts";
import { Presence } from "../../src/upkeep/presence.ts";
import { FakePool } from "../fake-pool.ts";

describe("The heartbeat of a node", () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
  afterEach(() => vi.useRealTimers());

  /** A Postgres whose notifications come back as long as `isHeard` is true. */
  function make(state: { isHeard: boolean; fails?: boolean }) {
    const pool = new FakePool(async (_text, values) => {
      if (state.fails === true) throw new Error("lost");
      if (state.isHeard) presence.hear(String(values[3]));
      return [{ secret: "secret", epoch: "epoch", last: "7" }];
    });
    const pulse = { beaten: vi.fn(), deaf: vi.fn() };
    const engine = new Engine(new PgDatabase(pool), 2000);
    const presence: Presence = new Presence(engine, "toolwire", "node", { own: "own", all: "all" }, pulse);
    return { presence, pulse, pool };
  }

  it("tells where the log stands every five seconds", async () => {
    const { presence, pulse } = make({ isHeard: true });
    await presence.begin();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(pulse.beaten).toHaveBeenLastCalledWith("secret", { epoch: "epoch", position: 7 });
    expect(pulse.beaten.mock.calls.length).toBeGreaterThanOrEqual(12);
    expect(pulse.deaf).not.toHaveBeenCalled();
    presence.close();
    pulse.beaten.mockClear();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(pulse.beaten).not.toHaveBeenCalled();
  });

  it("finds out that notifications do not come any more, and says so until they do", async () => {
    const state = { isHeard: true };
    const { presence, pulse } = make(state);
    await presence.begin();
    state.isHeard = false;
    await vi.advanceTimersByTimeAsync(15_000);
    expect(pulse.deaf).toHaveBeenCalled();
    state.isHeard = true;
    presence.restart();
    pulse.deaf.mockClear();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(pulse.deaf).not.toHaveBeenCalled();
    presence.close();
  });

  it("does not begin where a pooler keeps notifications away, and explains it", async () => {
    const { presence } = make({ isHeard: false });
    const begun = expect(presence.begin()).rejects.toThrow("PgBouncer in transaction mode");
    await vi.advanceTimersByTimeAsync(4000);
    await begun;
    presence.close();
  });

  it("is tried again and again while Postgres cannot be reached", async () => {
    const state = { isHeard: true, fails: false };
    const { presence, pulse } = make(state);
    await presence.begin();
    state.fails = true;
    await vi.advanceTimersByTimeAsync(60_000);
    pulse.beaten.mockClear();
    state.fails = false;
    await vi.advanceTimersByTimeAsync(1000);
    expect(pulse.beaten).toHaveBeenCalled();
    presence.close();
  });
});
