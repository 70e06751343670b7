import type { Tool } from "@toolwire/client";
import { describeGroup, groupFindings, lintTools, poisonRules, schemaRules, type Rule } from "@toolwire/lint";
import type { RelayEvent } from "@toolwire/relay";

/** Tells what is wrong with the tools that an upstream lists, and nothing twice: lists come again and again. */
export class ListedFindings {
  readonly #tell: (level: RelayEvent["level"], message: string) => void;
  readonly #rules: readonly Rule[];
  /** What was told about the last list. */
  #told: ReadonlySet<string> = new Set();

  /** With `isPortable`, inputs are rewritten, so that no API refuses them. */
  constructor(tell: (level: RelayEvent["level"], message: string) => void, isPortable: boolean) {
    this.#tell = tell;
    this.#rules = isPortable ? poisonRules : [...poisonRules, ...schemaRules];
  }

  /** Looks at a list, as the upstream has sent it: callers see cleaned texts. */
  look(tools: readonly Tool[]): void {
    const findings = lintTools(tools, { rules: this.#rules }).filter(({ severity }) => severity !== "info");
    const told = new Set<string>();
    for (const group of groupFindings(findings)) {
      const message = describeGroup(group);
      told.add(message);
      if (this.#told.has(message)) continue;
      const isPoison = poisonRules.some(({ id }) => id === group.rule);
      // Texts that deceive concern everybody. What an API refuses concerns those who use it, and `check` says it.
      this.#tell(isPoison ? "warning" : "info", `lint: ${message}`);
    }
    this.#told = told;
  }
}
