/* oxlint-disable vitest/expect-expect -- in these tests, the compiler asserts. */
import { test } from "vitest";
import { createServer, rateLimit, tool, type CallToolResult, type ServerMiddleware } from "../../src/index.ts";

test("middleware returns a result, or the promise of one", () => {
  const result: CallToolResult = { content: [] };
  const functions: ServerMiddleware[] = [
    (_call, next) => next(),
    async (_call, next) => next(),
    async (_call, next) => ({ ...(await next()), _meta: {} }),
    () => ({ content: [{ type: "text", text: "at once" }] }),
    async () => ({ content: [] }),
    () => result,
    (_call, next) => (Math.random() < 0.5 ? result : next()),
    async (_call, next): Promise<object> => {
      try {
        return await next();
      } finally {
        performance.now();
      }
    },
    (): object => result,
    () => {
      throw new Error("refused");
    },
    rateLimit({ limit: 1 }),
  ];
  createServer({ name: "m", version: "1", middleware: functions });
  tool({ middleware: functions, run: () => "" });
});

test("middleware that returns nothing does not compile, whether it is asynchronous or not", () => {
  // @ts-expect-error -- the promise holds nothing
  const forgetful: ServerMiddleware = async (_call, next) => {
    await next();
  };
  createServer({
    name: "m",
    version: "1",
    middleware: [
      forgetful,
      // @ts-expect-error -- returns nothing at once
      (_call, next) => {
        void next();
      },
    ],
  });
  // @ts-expect-error -- in some cases, nothing is returned
  tool({ middleware: [async (call, next) => (call.tool === undefined ? undefined : next())], run: () => "" });
  // @ts-expect-error -- text is no result
  tool({ middleware: [() => "text"], run: () => "" });
});
