import { createServer, prompt, tool } from "@toolwire/server";
import { tasks } from "@toolwire/server/tasks";
import { contentTools, reportingTools, schemaTools } from "./answering-tools.ts";
import { askingTools, roundTools } from "./asking-tools.ts";
import { prompts } from "./prompts.ts";
import { resources } from "./resources.ts";
import { taskTools } from "./task-tools.ts";
import { skillsExtension } from "./skills.ts";

/** Everything the suite looks for, in both eras. */
export const server = createServer({
  name: "toolwire-conformance-server",
  version: "1.0.0",
  // The suite calls the first tool of the list without arguments.
  tools: { ...contentTools, ...reportingTools, ...schemaTools, ...askingTools, ...roundTools, ...taskTools },
  resources,
  prompts,
  extensions: [tasks(), skillsExtension],
});

server.tools.add(
  "test_trigger_tool_change",
  tool({
    description: "Makes a tool come and go",
    run() {
      server.tools.add("transient", tool({ description: "Soon gone", run: () => "Still here." }));
      server.tools.remove("transient");
      return "The list of tools has changed, twice.";
    },
  }),
);

server.tools.add(
  "test_trigger_prompt_change",
  tool({
    description: "Makes a prompt come and go",
    run() {
      server.prompts.add("transient", prompt({ description: "Soon gone", get: () => "Still here." }));
      server.prompts.remove("transient");
      return "The list of prompts has changed, twice.";
    },
  }),
);
