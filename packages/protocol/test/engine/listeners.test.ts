import { whenAborted } from "@toolwire/protocol/internal";
import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";

const listeners = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;

describe("whenAborted", () => {
  test("calls every callback of the signal, once", () => {
    const stop = new AbortController();
    const called: string[] = [];
    whenAborted(stop.signal, () => called.push("first"));
    const takeBack = whenAborted(stop.signal, () => called.push("second"));
    whenAborted(stop.signal, () => called.push("third"));
    takeBack();
    stop.abort();
    expect(called).toEqual(["first", "third"]);
  });

  test("calls back at once if the signal is aborted already", () => {
    const called: string[] = [];
    whenAborted(AbortSignal.abort(), () => called.push("at once"))();
    expect(called).toEqual(["at once"]);
  });

  test("does not call a callback that another one has removed meanwhile", () => {
    const stop = new AbortController();
    const called: string[] = [];
    whenAborted(stop.signal, () => takeBack());
    const takeBack = whenAborted(stop.signal, () => called.push("sent home"));
    stop.abort();
    expect(called).toEqual([]);
  });

  test("has one listener for all callbacks, and none without callbacks", () => {
    const stop = new AbortController();
    const takeBack = Array.from({ length: 20 }, () => whenAborted(stop.signal, () => {}));
    expect(listeners(stop.signal)).toBe(1);
    for (const one of takeBack) one();
    expect(listeners(stop.signal)).toBe(0);
    // Taking something back twice takes nothing from those who have come since.
    let calls = 0;
    whenAborted(stop.signal, () => calls++);
    for (const one of takeBack) one();
    expect(listeners(stop.signal)).toBe(1);
    stop.abort();
    expect([calls, listeners(stop.signal)]).toEqual([1, 0]);
  });
});
