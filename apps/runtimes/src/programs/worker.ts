// A worker that serves, and that calls other servers when it is told to.

import { env } from "cloudflare:workers";
import { readGuard } from "../fixture/guard.ts";
import { createWebHandler } from "./web-handler.ts";
import { runTask, type ClientTask } from "./task.ts";

const serve = createWebHandler(readGuard(env.GUARD));

const worker = {
  async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname !== "/task") return serve(request);
    return Response.json(await runTask((await request.json()) as ClientTask));
  },
};

// oxlint-disable-next-line import/no-default-export -- Where workers are looked for.
export default worker;
