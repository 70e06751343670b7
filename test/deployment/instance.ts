import { handler } from "./lambda.ts";

/** A process that runs the function for one event after another, as an instance of Lambda does. */
process.on("message", async (event: Parameters<typeof handler>[0]) => {
  process.send?.(await handler(event));
});
