import { createHttpCaller } from "#http-caller";
import type { HttpCaller } from "./http-caller.ts";

let shared: HttpCaller | undefined;

/** The caller of tools that are given none. All of them share it; it is made with the first call. */
export const defaultCaller: HttpCaller = {
  send(request, options) {
    shared ??= createHttpCaller();
    return shared.send(request, options);
  },
  async close() {
    const closing = shared;
    shared = undefined;
    await closing?.close();
  },
};
