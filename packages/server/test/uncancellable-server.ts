import { z } from "zod";
import { eventually } from "../../../test/eventually.ts";
import { createServer, tool, type Server, type ServerOptions } from "../src/index.ts";

/** A server with a tool that runs on when it is cancelled, as a query does that cannot be stopped. */
export interface Stubborn {
  readonly server: Server;
  /** How many calls of `stubborn` run at this moment. */
  readonly running: number;
  /** How many of all calls so far were told to stop. */
  readonly aborted: number;
  /** Resolves when so many calls run. */
  hasRunning(count: number): Promise<void>;
  /** Resolves when so many calls were told to stop. */
  hasAborted(count: number): Promise<void>;
  /** Lets every call that runs now come to its end. */
  release(): Promise<void>;
}

/** Makes a server with the tools `stubborn`, which ends when it is released, and `echo`, which answers at once. */
export function createStubborn(options: Partial<ServerOptions> = {}): Stubborn {
  const held = new Set<() => void>();
  let aborted = 0;
  const server: Server = createServer({
    name: "stubborn",
    version: "1.0.0",
    onDiagnostic() {},
    tools: {
      echo: tool({ input: z.object({ text: z.string().default("here") }), run: ({ text }) => text }),
      stubborn: tool({
        run: (_args, { signal }) =>
          new Promise<string>((resolve) => {
            signal.addEventListener("abort", () => void (aborted += 1));
            const end = (): void => {
              held.delete(end);
              resolve("done");
            };
            held.add(end);
          }),
      }),
    },
    ...options,
  });
  const reaches = async (read: () => number, count: number): Promise<void> => {
    await eventually(() => {
      if (read() !== count) throw new Error(`There are ${read()}, not ${count}.`);
    });
  };
  return {
    server,
    get running() {
      return held.size;
    },
    get aborted() {
      return aborted;
    },
    hasRunning: (count) => reaches(() => held.size, count),
    hasAborted: (count) => reaches(() => aborted, count),
    async release() {
      for (const end of held) end();
      // A waiter for a call hears of its end in the same turn of the event loop.
      await new Promise(setImmediate);
    },
  };
}
