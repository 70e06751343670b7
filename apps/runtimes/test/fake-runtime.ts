import type { Runtime } from "../src/runtimes/runtime.ts";

/** A runtime that has clients over HTTP and nothing else, and that nobody starts. */
export function fakeRuntime(title: string): Runtime {
  return {
    title,
    name: title,
    servers: {},
    clients: ["http"],
    startClients: () => Promise.reject(new Error("There is nothing to start.")),
  };
}
