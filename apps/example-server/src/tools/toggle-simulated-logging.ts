import { tool } from "@toolwire/server";
import { simulatedLogging } from "../simulation/simulated-logging.ts";
import { TOGGLE } from "./hints.ts";

export const toggleSimulatedLogging = tool({
  title: "Toggle simulated logging",
  description:
    "Switches made-up log messages on or off, for all clients: one with each call, of every severity in turn.",
  annotations: TOGGLE,
  run: () =>
    simulatedLogging.toggle()
      ? "Simulated logging is on: each call now brings a log message, if its severity is asked for."
      : "Simulated logging is off.",
});
