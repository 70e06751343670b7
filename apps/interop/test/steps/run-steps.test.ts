import { once } from "node:events";
import { expect, test } from "vitest";
import type { Driver, ToolAnswer } from "../../src/steps/driver.ts";
import { attempt } from "../../src/steps/outcomes.ts";
import { runSteps } from "../../src/steps/run-steps.ts";
import { STANDARD } from "../../src/steps/script.ts";

const answer = (text: string, isError = false): ToolAnswer => ({ text, isError });
const ALL = { without: [] };

async function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  if (signal === undefined) throw new Error("nobody can cancel this");
  if (!signal.aborted) await once(signal, "abort");
  throw new Error("aborted");
}

/** A pair that gets everything right. */
function createDriver(): Driver {
  let cancelled = 0;
  return {
    canAnswer: true,
    listTools: () => Promise.resolve(["echo"]),
    listResources: () => Promise.resolve([]),
    listPrompts: () => Promise.resolve(["greet"]),
    readResource: () => Promise.resolve(STANDARD.read.text),
    getPrompt: (name) =>
      name === "greet"
        ? Promise.resolve(STANDARD.prompt.text)
        : Promise.reject(Object.assign(new Error("Unknown prompt"), { code: -32602 })),
    callTool(name, args, { signal, onProgress } = {}) {
      if (name === "echo") return Promise.resolve(answer(String(args["text"])));
      if (name === "add") return Promise.resolve({ ...answer("5"), structured: { sum: 5 } });
      if (name === "fail") return Promise.resolve(answer("failed", true));
      if (name === "ask") return Promise.resolve(answer("Hello, Ada!"));
      if (name === "cancelled") return Promise.resolve(answer(String(cancelled)));
      onProgress?.();
      if (name === "count") onProgress?.();
      if (name === "count") return Promise.resolve(answer("done"));
      return untilAborted(signal).finally(() => cancelled++);
    },
    close: () => Promise.resolve(),
  };
}

test("runSteps() passes every step with a pair that gets everything right", async () => {
  expect(new Set(Object.values(await runSteps(createDriver(), STANDARD, ALL)))).toEqual(new Set(["passed"]));
});

test("runSteps() knows what a pair cannot do", async () => {
  const { progress, ask, call } = await runSteps({ ...createDriver(), canAnswer: false }, STANDARD, {
    without: ["progress"],
  });

  expect({ progress, ask, call }).toEqual({ progress: "impossible", ask: "impossible", call: "passed" });
});

test("runSteps() notices everything that goes wrong, and goes on", async () => {
  const driver: Driver = {
    ...createDriver(),
    listTools: () => Promise.resolve(["other"]),
    readResource: () => Promise.reject(new Error("no such resource")),
    getPrompt: () => Promise.reject(new Error("no code")),
    callTool: () => Promise.resolve(answer("wrong")),
  };

  expect(await runSteps(driver, STANDARD, ALL)).toEqual({
    list: { failed: 'the tools should contain echo: ["other"]' },
    call: { failed: 'the answer should contain grüße 🌍: "wrong"' },
    structured: { failed: 'expected {"sum":5}, got undefined' },
    read: { failed: "no such resource" },
    prompt: { failed: "no code" },
    "tool error": { failed: "expected an error, got: wrong" },
    "protocol error": { failed: "expected a JSON-RPC error, got: Error: no code" },
    progress: { failed: "expected several reports of progress, got 0" },
    cancel: { failed: expect.stringContaining("expected a failure") },
    ask: { failed: 'the answer should contain Hello, Ada!: "wrong"' },
    "give up": { failed: expect.stringContaining("expected a failure") },
  });
});

test("runSteps() asks the server whether a call has arrived, where a client does not show progress", async () => {
  const driver = createDriver();
  const calls: string[] = [];
  const silent: Driver = {
    ...driver,
    callTool(name, args, options) {
      calls.push(name);
      if (name === "waiting") return Promise.resolve(answer(calls.includes("wait") ? "1" : "0"));
      return driver.callTool(name, args, options?.signal === undefined ? {} : { signal: options.signal });
    },
  };

  const { cancel } = await runSteps(silent, { ...STANDARD, waiting: { tool: "waiting", args: {} } }, ALL);

  expect(cancel).toBe("passed");
  expect(calls).toContain("waiting");
});

test("runSteps() notices a session that does not answer after somebody gave up on a call", async () => {
  const driver = createDriver();
  let isConfused = false;
  const confused: Driver = {
    ...driver,
    callTool(name, args, options) {
      if (isConfused) return new Promise(() => undefined);
      // The step that cancels by a report passes; the other one does not look for reports.
      isConfused = name === "wait" && options?.onProgress === undefined;
      return driver.callTool(name, args, options);
    },
  };

  const outcomes = await runSteps(confused, STANDARD, { without: [], knownToFail: ["give up"] });

  expect(outcomes).toMatchObject({ cancel: "passed", "give up": { failed: "no answer within 3000 ms" } });
});

test("a client without prompts and resources can still show an error of the protocol, or says that it cannot", async () => {
  const driver = createDriver();
  const { canAnswer, listTools, callTool, close } = driver;
  const few: Driver = { canAnswer, listTools, callTool, close };
  const readResource = (): Promise<string> => Promise.reject(Object.assign(new Error("Unknown"), { code: -32002 }));

  expect(await runSteps({ ...few, readResource }, STANDARD, ALL)).toMatchObject({
    list: "passed",
    prompt: { failed: "this client cannot get prompts" },
    "protocol error": "passed",
  });
  expect(await runSteps(few, STANDARD, ALL)).toMatchObject({
    read: { failed: "this client cannot read resources" },
    "protocol error": { failed: "this client can only call tools" },
  });
});

test("a step that takes too long is told that nobody waits for it any more", async () => {
  let wasTold = false;
  const outcome = await attempt(async (signal) => {
    await once(signal, "abort");
    wasTold = true;
  }, true);
  await Promise.resolve();

  expect({ outcome, wasTold }).toEqual({ outcome: { failed: "no answer within 3000 ms" }, wasTold: true });
});
