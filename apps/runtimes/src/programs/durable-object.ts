// A worker whose sessions live in a Durable Object: one place for all requests, which may wait for each other there.

import { env } from "cloudflare:workers";
import { readGuard } from "../fixture/guard.ts";
import { createWebHandler } from "./web-handler.ts";

interface Environment {
  readonly SESSIONS: {
    idFromName(name: string): object;
    get(id: object): { fetch(request: Request): Promise<Response> };
  };
}

/** The object; the configuration of the worker names this class. */
export class Sessions {
  readonly fetch: (request: Request) => Promise<Response> = createWebHandler(readGuard(env.GUARD));
}

const worker = {
  fetch(request: Request, { SESSIONS }: Environment): Promise<Response> {
    return SESSIONS.get(SESSIONS.idFromName("all")).fetch(request);
  },
};

// oxlint-disable-next-line import/no-default-export -- Where workers are looked for.
export default worker;
