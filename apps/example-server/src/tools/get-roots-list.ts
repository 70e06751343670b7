import { tool } from "@toolwire/server";
import { READ_ONLY } from "./hints.ts";

export const getRootsList = tool({
  title: "Roots",
  description: "Lists the directories that the client works in.",
  annotations: READ_ONLY,
  async run(_args, ctx) {
    const roots = await ctx.roots();
    if (roots.length === 0) return "The client works in no directory.";
    const lines = roots.map(({ uri, name }) => (name === undefined ? `- ${uri}` : `- ${name}: ${uri}`));
    return ["The client works in:", ...lines].join("\n");
  },
});
