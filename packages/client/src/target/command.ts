import { refuseOptions } from "../check-options.ts";
import { spawnServer } from "../transports/stdio/spawn-server.ts";
import type { CommandEndpoint } from "./endpoint.ts";

/** Makes the endpoint of a program, which is started when the endpoint is opened. */
export const commandEndpoint: CommandEndpoint = (target, options) => {
  const key = JSON.stringify([target.command, target.args ?? [], target.cwd ?? ""]);
  return {
    key,
    // An environment mostly holds secrets.
    identity: target.env === undefined ? key : undefined,
    reopens: true,
    async open() {
      refuseOptions(options, "headers", "fetch");
      return spawnServer({ ...target, maxMessageBytes: target.maxMessageBytes ?? options.maxMessageBytes });
    },
  };
};
