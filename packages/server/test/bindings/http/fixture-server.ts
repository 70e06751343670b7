import { createServer, tool, type Server } from "../../../src/index.ts";
import { z } from "zod";
import { deferred, type Deferred } from "./client.ts";

/** The events inside the tools of a fixture. */
export interface Fixture {
  readonly server: Server;
  /** Tells how often each tool was run to its end or was cancelled. */
  readonly cancelled: string[];
  readonly finished: string[];
  /** Resolves when a tool of this name has begun. */
  began(name: string): Promise<void>;
  /** Lets all `wait` tools finish. */
  release(): void;
  /** Resolves when the next `wait` tool was cancelled. */
  wasCancelled: Promise<unknown>;
}

/** A server whose tools do what tests of a binding need. */
export function createFixture(options: Partial<Parameters<typeof createServer>[0]> = {}): Fixture {
  const gate = deferred();
  const abort = deferred<unknown>();
  const begun = new Map<string, Deferred<void>>();
  const beginning = (name: string): Deferred<void> => {
    const it = begun.get(name) ?? deferred();
    begun.set(name, it);
    return it;
  };
  const cancelled: string[] = [];
  const finished: string[] = [];
  const text = z.object({ text: z.string().default("") });
  const server: Server = createServer({
    name: "fixture",
    version: "1.0.0",
    onDiagnostic() {},
    tools: {
      echo: tool({ description: "Says it back", input: text, run: ({ text: it }) => it }),
      later: tool({
        description: "Says it back a little later",
        input: text,
        async run({ text: it }) {
          await Promise.resolve();
          return it;
        },
      }),
      steps: tool({
        description: "Reports progress",
        run(_args, ctx) {
          for (let step = 1; step <= 3; step += 1) ctx.progress(step, 3);
          return "done";
        },
      }),
      wait: tool({
        description: "Waits until it may go on",
        input: z.object({ name: z.string().default("wait"), chatty: z.boolean().default(false) }),
        async run({ name, chatty }, ctx) {
          ctx.signal.addEventListener("abort", () => {
            cancelled.push(name);
            abort.resolve(ctx.signal.reason);
          });
          if (chatty) await ctx.notify({ method: "notifications/message", params: { level: "info", data: "begun" } });
          beginning(name).resolve();
          await gate.promise;
          finished.push(name);
          return `waited as ${name}`;
        },
      }),
      chat: tool({
        description: "Sends notifications",
        input: z.object({ count: z.number().int(), size: z.number().int().default(1) }),
        async run({ count, size }, ctx) {
          for (let n = 1; n <= count; n += 1) {
            await ctx.notify({
              method: "notifications/message",
              params: { level: "info", data: `${n}${"x".repeat(size)}` },
            });
          }
          return "said";
        },
      }),
      ask: tool({
        description: "Asks for a name",
        async run(_args, ctx) {
          const { name } = await ctx.elicit("name", { message: "Name?", schema: z.object({ name: z.string() }) });
          return `Hello, ${name}!`;
        },
      }),
      pause: tool({
        description: "Lets go of its stream",
        async run(_args, ctx) {
          ctx.suspendStream(50);
          beginning("pause").resolve();
          await gate.promise;
          return "resumed";
        },
      }),
      region: tool({
        description: "Has a header",
        input: z.object({
          region: z.string().meta({ "x-mcp-header": "Region" }).optional(),
          size: z.int().meta({ "x-mcp-header": "Size" }).optional(),
        }),
        run: ({ region }) => region ?? "nowhere",
      }),
      who: tool({ description: "Says who calls", run: (_args, ctx) => ctx.principal?.id ?? "nobody" }),
      header: tool({ description: "Says a header", run: (_args, ctx) => ctx.header("X-Trace") ?? "none" }),
    },
    resources: {},
    ...options,
  });
  return {
    server,
    cancelled,
    finished,
    began: (name) => beginning(name).promise,
    release: () => gate.resolve(),
    wasCancelled: abort.promise,
  };
}
