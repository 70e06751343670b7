import { createServer, tool } from "@toolwire/server";

/** A server with one tool that reports progress, and one that never answers. */
export const server = createServer({
  name: "counter",
  version: "1.0.0",
  tools: {
    count: tool({
      run(_args, ctx) {
        for (const step of [1, 2, 3]) ctx.progress(step, 3);
        return "3";
      },
    }),
    hang: tool({ run: () => new Promise<string>(() => {}) }),
  },
});
