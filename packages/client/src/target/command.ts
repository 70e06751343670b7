import { spawnServer } from "../transports/stdio/spawn-server.ts";
import type { CommandEndpoint } from "./endpoint.ts";

/** Makes the endpoint of a program, which is started when the endpoint is opened. */
export const commandEndpoint: CommandEndpoint = (target) => {
  const key = JSON.stringify([target.command, target.args ?? [], target.cwd ?? ""]);
  return {
    key,
    // An environment mostly holds secrets.
    identity: target.env === undefined ? key : undefined,
    reopens: true,
    place: { binding: "stdio" },
    open: async () => spawnServer(target),
  };
};
