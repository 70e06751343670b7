import type { ServerMiddleware } from "@toolwire/server";

const MESSAGES = [
  ["debug", "Cache looked up."],
  ["info", "A tool was called."],
  ["notice", "The configuration was read again."],
  ["warning", "The disk is filling up."],
  ["error", "A worker has stopped."],
  ["critical", "The database does not answer."],
  ["alert", "Data may be lost."],
  ["emergency", "Nothing works any more."],
] as const;

/**
 * Made-up log messages, one with each tool call, of every severity in turn. A message travels with the request that it
 * belongs to, which is the way of all revisions; clients get those of the severities that they have asked for.
 */
export class SimulatedLogging {
  #isOn = false;
  #count = 0;

  /** Switches it on or off, and says which. */
  toggle(): boolean {
    this.#isOn = !this.#isOn;
    return this.#isOn;
  }

  /** Goes around all requests. */
  readonly middleware: ServerMiddleware = (call, next) => {
    if (this.#isOn && call.tool !== undefined) {
      const [level, message] = MESSAGES[this.#count % MESSAGES.length] ?? MESSAGES[0];
      this.#count += 1;
      call.context.log(level, { message, tool: call.tool.name }, "simulation");
    }
    return next();
  };
}

/** The one of this program. */
export const simulatedLogging: SimulatedLogging = new SimulatedLogging();
