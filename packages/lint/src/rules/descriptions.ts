import { isObject } from "@toolwire/protocol/internal";
import type { Rule } from "../rule.ts";
import { SOURCES } from "./sources.ts";

/** Descriptions, which are all that a model knows of a tool. */

/** The most characters that OpenAI's API has taken for the description of a function. */
const MAX_DESCRIPTION = 1_024;

/** A tool, prompt or resource that nobody describes. */
export const descriptionMissing: Rule = {
  id: "description-missing",
  severity: "warning",
  summary: "each tool has a description",
  hosts: [],
  sources: [SOURCES.toolsPage],
  *tool({ tool: { description } }) {
    if (typeof description === "string" && description.trim() !== "") return;
    yield {
      path: ["description"],
      message: "Without a description, a model guesses by the name. Say when to call this tool, and what it returns.",
    };
  },
  *list({ prompts, resources }) {
    const described = [
      ...prompts.map((each) => ["prompt", each] as const),
      ...resources.map((each) => ["resource", each] as const),
    ];
    for (const [kind, { name, description }] of described) {
      if (typeof description === "string" && description.trim() !== "") continue;
      yield {
        kind,
        name,
        path: ["description"],
        severity: "info",
        message: `This ${kind} has no description, so that people cannot choose it.`,
      };
    }
  },
};

/** An argument that a model must send and knows nothing of. */
export const argumentDescription: Rule = {
  id: "argument-description",
  severity: "info",
  summary: "each required argument has a description",
  hosts: [],
  sources: ["https://github.com/modelcontextprotocol/servers/issues/3669"],
  *schema({ schema, path, level, property, isRequired }) {
    if (!isRequired || property === undefined || level !== 1 || typeof schema["description"] === "string") return;
    yield {
      path,
      message: "This argument is required and has no description. Say what belongs there, with an example.",
    };
  },
};

/** A description that is cut or refused. */
export const descriptionLong: Rule = {
  id: "description-long",
  severity: "warning",
  summary: `descriptions of tools have at most ${MAX_DESCRIPTION} characters`,
  hosts: ["openai"],
  sources: ["https://community.openai.com/t/function-call-description-max-length/529902"],
  *tool({ tool: { description } }) {
    if (typeof description !== "string" || description.length <= MAX_DESCRIPTION) return;
    yield {
      path: ["description"],
      message:
        `The description has ${description.length} characters, and the API has refused more than ${MAX_DESCRIPTION}. Move what belongs to ` +
        "one argument into its description, and the rest into a resource.",
    };
  },
};

/** Hints that contradict each other: applications ask the user, or do not, by them. */
export const annotationsContradict: Rule = {
  id: "annotations-contradict",
  severity: "warning",
  summary: "annotations do not contradict each other",
  hosts: [],
  sources: [SOURCES.toolsPage],
  *tool({ tool: { annotations } }) {
    if (!isObject(annotations) || annotations.readOnlyHint !== true || annotations.destructiveHint !== true) return;
    yield {
      path: ["annotations"],
      message:
        "`readOnlyHint` and `destructiveHint` are both true. A tool that deletes must not say that it only reads.",
    };
  },
};
