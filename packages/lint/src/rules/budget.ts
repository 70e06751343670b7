import type { Rule } from "../rule.ts";
import { estimateTokens } from "../walk/measure.ts";

/** What the list as a whole costs, before the model has read a word of its user. */

/** The most tools in one request of OpenAI's API and of VS Code. */
const MAX_TOOLS = 128;

/** How many of the largest tools are named. */
const NAMED = 3;

/** Tokens of the whole list. */
export const tokenBudget: Rule = {
  id: "token-budget",
  severity: "warning",
  summary: "the whole list fits a budget of tokens",
  hosts: [],
  sources: [
    "https://github.com/anthropics/claude-code/issues/11364",
    "https://github.com/anthropics/claude-code/issues/16466",
  ],
  *list({ tools, limits }) {
    const bytes = tools.reduce((sum, tool) => sum + tool.bytes, 0);
    const tokens = estimateTokens(bytes);
    if (tokens <= limits.maxTokens) return;
    const largest = tools.toSorted((one, other) => other.bytes - one.bytes).slice(0, NAMED);
    const named = largest.map(
      ({ tool, bytes: own }) => `${JSON.stringify(tool.name.slice(0, 64))} about ${estimateTokens(own)}`,
    );
    yield {
      message:
        `The list costs about ${tokens} tokens of every conversation (a quarter of its ${bytes} bytes), and ${limits.maxTokens} are the budget. ` +
        `The largest: ${named.join(", ")}. Offer fewer tools, or have the model search them.`,
    };
  },
};

/** Number of tools. */
export const toolCount: Rule = {
  id: "tool-count",
  severity: "warning",
  summary: `at most ${MAX_TOOLS} tools`,
  hosts: ["openai", "openai-strict", "vscode"],
  sources: [
    "https://github.com/microsoft/vscode-copilot-release/issues/11653",
    "https://github.com/microsoft/copilot-intellij-feedback/issues/1842",
  ],
  *list({ tools }) {
    if (tools.length <= MAX_TOOLS) return;
    yield {
      message:
        `There are ${tools.length} tools. A request takes ${MAX_TOOLS}, those of the application and of other servers included: some are ` +
        "left out, or the request is refused. Offer fewer, or have the model search them.",
    };
  },
};
