import { expect, test } from "vitest";
import type { Driver, ToolAnswer } from "../../src/steps/driver.ts";
import { runSteps } from "../../src/steps/run-steps.ts";
import { STANDARD } from "../../src/steps/script.ts";

const answer = (text: string, isError = false): ToolAnswer => ({ text, isError });

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
      if (name === "fail") return Promise.resolve(answer("failed", true));
      if (name === "ask") return Promise.resolve(answer("Hello, Ada!"));
      if (name === "cancelled") return Promise.resolve(answer(String(cancelled)));
      onProgress?.();
      if (name === "count") onProgress?.();
      if (signal?.aborted !== true) return Promise.resolve(answer("done"));
      cancelled++;
      return Promise.reject(new Error("aborted"));
    },
    close: () => Promise.resolve(),
  };
}

test("passes every step with a pair that gets everything right", async () => {
  expect(new Set(Object.values(await runSteps(createDriver(), STANDARD, [])))).toEqual(new Set(["passed"]));
});

test("knows what a pair cannot do", async () => {
  const { progress, ask, call } = await runSteps({ ...createDriver(), canAnswer: false }, STANDARD, ["progress"]);

  expect({ progress, ask, call }).toEqual({ progress: "impossible", ask: "impossible", call: "passed" });
});

test("notices everything that goes wrong, and goes on", async () => {
  const driver: Driver = {
    ...createDriver(),
    listTools: () => Promise.resolve(["other"]),
    readResource: () => Promise.reject(new Error("no such resource")),
    getPrompt: () => Promise.reject(new Error("no code")),
    callTool: () => Promise.resolve(answer("wrong")),
  };

  expect(await runSteps(driver, STANDARD, [])).toEqual({
    list: { failed: 'the tools should contain echo: ["other"]' },
    call: { failed: 'the answer should contain grüße 🌍: "wrong"' },
    read: { failed: "no such resource" },
    prompt: { failed: "no code" },
    "tool error": { failed: "expected an error, got: wrong" },
    "protocol error": { failed: "expected a JSON-RPC error, got: Error: no code" },
    progress: { failed: "expected several reports of progress, got 0" },
    cancel: { failed: expect.stringContaining("expected a failure") },
    ask: { failed: 'the answer should contain Hello, Ada!: "wrong"' },
  });
});
