import { refuse } from "../check-options.ts";
import { spawnServer } from "../transports/stdio/spawn-server.ts";
import type { Endpoint, Openers } from "./endpoint.ts";

/** The way to a program, which is started when it is opened. */
export const command: Openers["command"] = (target, options): Endpoint => {
  const key = JSON.stringify([target.command, target.args ?? [], target.cwd ?? ""]);
  return {
    key,
    // What is in the environment is more often than not a secret.
    identity: target.env === undefined ? key : undefined,
    reopens: true,
    async open() {
      await refuse(options, "headers", "fetch");
      return spawnServer({ ...target, maxMessageBytes: target.maxMessageBytes ?? options.maxMessageBytes });
    },
  };
};
