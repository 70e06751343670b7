import { expect, test } from "vitest";
import { SharedWork } from "../../src/auth/store/shared-work.ts";

test("whoever comes after everybody has given up starts the work anew, and is not told that it was given up", async () => {
  const shared = new SharedWork<string>();
  const started: AbortSignal[] = [];
  const releases: (() => void)[] = [];
  const work = (signal: AbortSignal): Promise<string> => {
    started.push(signal);
    const name = `run ${started.length}`;
    return new Promise((resolve, reject) => {
      releases.push(() => (signal.aborted ? reject(new Error("given up")) : resolve(name)));
    });
  };
  const stop = new AbortController();
  const first = shared.run(stop.signal, work);
  stop.abort(new Error("too late"));
  await expect(first).rejects.toThrow("too late");
  expect(started[0]?.aborted).toBe(true);
  // The first work has not noticed yet.
  const second = shared.run(undefined, work);
  expect(shared.isRunning).toBe(true);
  releases[0]!();
  releases[1]!();
  await expect(second).resolves.toBe("run 2");
  expect(shared.isRunning).toBe(false);
});

test("work that others wait for goes on when one gives up", async () => {
  const shared = new SharedWork<string>();
  let release = (): void => {};
  const work = (): Promise<string> =>
    new Promise((resolve) => {
      release = () => resolve("done");
    });
  const stop = new AbortController();
  const [first, second] = [shared.run(stop.signal, work), shared.run(undefined, work)];
  stop.abort(new Error("too late"));
  await expect(first).rejects.toThrow("too late");
  release();
  await expect(second).resolves.toBe("done");
});
