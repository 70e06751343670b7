import { tool } from "@toolwire/server";
import { READ_ONLY } from "./hints.ts";

/** Environments hold keys and tokens, so what may be shown is listed here, and everything else stays inside. */
const SHOWN = ["LANG", "LC_ALL", "NODE_ENV", "NO_COLOR", "TERM", "TZ"] as const;

export const getEnv = tool({
  title: "Environment",
  description: `Shows those environment variables of the server that are harmless: ${SHOWN.join(", ")}.`,
  annotations: READ_ONLY,
  run() {
    const set = SHOWN.filter((name) => process.env[name] !== undefined);
    return JSON.stringify(Object.fromEntries(set.map((name) => [name, process.env[name]])), null, 2);
  },
});
