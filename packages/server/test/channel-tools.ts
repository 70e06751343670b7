import { tool } from "@toolwire/server";
import { z } from "zod";

/** Tools for the tests of channels: they answer at once, at length, late, in random order or never. */
export function defineChannelTools() {
  const held: (() => void)[] = [];
  const cancelled: string[] = [];
  const release = (): void => {
    for (const each of held.splice(0).toSorted(() => Math.random() - 0.5)) each();
  };
  return {
    /** The names of the calls that were held and then cancelled. */
    cancelled,
    /** Lets everything go that is held, in random order. */
    release,
    tools: {
      echo: tool({ description: "Says it back", input: z.object({ text: z.string() }), run: ({ text }) => text }),
      repeat: tool({
        description: "Says much",
        input: z.object({ times: z.number() }),
        run: ({ times }) => "x".repeat(times),
      }),
      hold: tool({
        description: "Answers when released, or never",
        input: z.object({ name: z.string() }),
        run: ({ name }, { signal }) =>
          new Promise<string>((resolve) => {
            held.push(() => resolve(name));
            signal.addEventListener("abort", () => cancelled.push(name));
          }),
      }),
      release: tool({
        description: "Lets everything go that is held, in random order",
        run() {
          release();
          return "released";
        },
      }),
    },
  };
}
