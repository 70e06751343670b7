import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { keepReading, type VisiblePage } from "../../page/src/api/keep-reading.ts";
import { usePoll } from "../../page/src/api/poll.ts";
import { useFittingSpan } from "../../page/src/api/fitting-span.ts";
import { useMachineAccess } from "../../page/src/api/machine-access.ts";

const host = await vi.hoisted(async () => new (await import("./hooks.ts")).HookHost());
vi.mock("preact/hooks", () => host.module);

class FakePage implements VisiblePage {
  hidden = false;
  readonly listeners = new Set<() => void>();

  addEventListener(_: "visibilitychange", listener: () => void): void {
    this.listeners.add(listener);
  }

  removeEventListener(_: "visibilitychange", listener: () => void): void {
    this.listeners.delete(listener);
  }

  show(): void {
    this.hidden = false;
    for (const listener of this.listeners) listener();
    this.listeners.clear();
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  host.leave();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

interface Started {
  readonly page: FakePage;
  readonly heard: string[];
  readonly signals: AbortSignal[];
  answer: () => Promise<string>;
  readonly end: () => void;
}

function start(): Started {
  const started = {
    page: new FakePage(),
    heard: [] as string[],
    signals: [] as AbortSignal[],
    answer: async () => "data",
    end: (): void => undefined,
  };
  started.end = keepReading({
    read: (signal) => {
      started.signals.push(signal);
      return started.answer();
    },
    interval: 1000,
    page: started.page,
    onData: (data) => started.heard.push(data),
    onError: (message) => started.heard.push(`error: ${message}`),
  });
  return started;
}

describe("reading again and again", () => {
  test("It reads at once, and then an interval after each answer", async () => {
    const { heard, signals } = start();
    await vi.advanceTimersByTimeAsync(999);
    expect(heard).toEqual(["data"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(heard).toEqual(["data", "data"]);
    expect(signals).toHaveLength(2);
  });

  test("After a failure it says why, and reads on", async () => {
    const started = start();
    started.answer = () => Promise.reject(new Error("away"));
    await vi.advanceTimersByTimeAsync(1000);
    started.answer = async () => "back";
    await vi.advanceTimersByTimeAsync(1000);
    expect(started.heard).toEqual(["data", "error: away", "back"]);
  });

  test("A hidden page reads nothing, and at once when it is seen again", async () => {
    const { page, heard } = start();
    await vi.advanceTimersByTimeAsync(0);
    page.hidden = true;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(heard).toHaveLength(1);
    page.show();
    await vi.advanceTimersByTimeAsync(0);
    expect(heard).toHaveLength(2);
  });

  test("The end breaks a request off, and nobody hears of it or of another one", async () => {
    const started = start();
    await vi.advanceTimersByTimeAsync(0);
    let finish: (text: string) => void = () => undefined;
    started.answer = () => new Promise((resolve) => (finish = resolve));
    await vi.advanceTimersByTimeAsync(1000);
    started.end();
    expect(started.signals.at(-1)?.aborted).toBe(true);
    finish("late");
    await vi.advanceTimersByTimeAsync(5000);
    expect(started.heard).toEqual(["data"]);
    expect(started.signals).toHaveLength(2);
  });

  test("The end of a failing request is silent, too, and a waiting page is left alone", async () => {
    const started = start();
    await vi.advanceTimersByTimeAsync(0);
    started.page.hidden = true;
    await vi.advanceTimersByTimeAsync(1000);
    expect(started.page.listeners.size).toBe(1);
    started.end();
    expect(started.page.listeners.size).toBe(0);
    const failing = start();
    failing.answer = () => Promise.reject(new Error("never told"));
    await vi.advanceTimersByTimeAsync(0);
    const reading = vi.advanceTimersByTimeAsync(1000);
    failing.end();
    await reading;
    expect(failing.heard).toEqual(["data"]);
  });
});

/** Answers by path; a missing one fails. */
function answerWith(answers: { readonly [path: string]: unknown }): string[] {
  const asked: string[] = [];
  vi.stubGlobal("document", new FakePage());
  vi.stubGlobal("fetch", async (path: string) => {
    asked.push(path);
    const answer = answers[path.replace("/api/v1/", "")];
    if (answer === undefined) return Response.json({ error: { code: "x", message: "No such path." } }, { status: 404 });
    return Response.json(answer);
  });
  return asked;
}

describe("a resource that is polled", () => {
  test("Its data are there when they were read, and stay when a later attempt fails", async () => {
    const answers: { [path: string]: unknown } = { servers: { servers: [] } };
    const asked = answerWith(answers);
    const draw = (): ReturnType<typeof usePoll> => host.draw(() => usePoll("servers", 1000));
    expect(draw()).toMatchObject({ data: undefined, error: undefined });
    await vi.advanceTimersByTimeAsync(0);
    expect(draw()).toMatchObject({ data: { servers: [] }, error: undefined });
    delete answers["servers"];
    await vi.advanceTimersByTimeAsync(1000);
    expect(draw()).toMatchObject({ data: { servers: [] }, error: "No such path." });
    expect(asked).toEqual(["/api/v1/servers", "/api/v1/servers"]);
  });

  test("It is read again at once after a change, and every five seconds otherwise", async () => {
    const asked = answerWith({ keys: { keys: [] } });
    const { refresh } = host.draw(() => usePoll("keys"));
    await vi.advanceTimersByTimeAsync(4999);
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked).toHaveLength(2);
    refresh();
    host.draw(() => usePoll("keys"));
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toHaveLength(3);
  });

  test("Without a path, nothing is read", async () => {
    const asked = answerWith({});
    host.draw(() => usePoll(undefined));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toEqual([]);
  });
});

describe("what views ask before they draw", () => {
  test("The time span is the one that the gateway names, and a day if it cannot say", async () => {
    answerWith({ "analytics/span": { span: "1h" } });
    expect(host.draw(() => useFittingSpan())).toBeUndefined();
    await vi.advanceTimersByTimeAsync(0);
    expect(host.draw(() => useFittingSpan())).toBe("1h");
    host.leave();
    answerWith({});
    host.draw(() => useFittingSpan());
    await vi.advanceTimersByTimeAsync(0);
    expect(host.draw(() => useFittingSpan())).toBe("24h");
  });

  test.each([
    [{ admin: { machineAccess: true } }, true],
    [{ admin: { machineAccess: false } }, false],
    [{ admin: { machineAccess: "true" } }, false],
    [{ admin: false }, false],
    [{ admin: null }, false],
    [{}, false],
  ])("The configuration %j lets admins use the machine: %s", async (config, expected) => {
    answerWith({ config: { config } });
    expect(host.draw(() => useMachineAccess())).toBeUndefined();
    await vi.advanceTimersByTimeAsync(0);
    expect(host.draw(() => useMachineAccess())).toBe(expected);
  });
});
