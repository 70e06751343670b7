// Our own client, with skills. Its mode is an era to insist on.

import { connect } from "@toolwire/client";
import { skills } from "@toolwire/client/skills";
import { runSkillSteps } from "../steps/skill-steps.ts";
import { commandOf, report, urlOf } from "./task.ts";

await report(async (task) => {
  const extension = skills({ server: "interop" });
  const client = await connect(task.transport === "stdio" ? commandOf(task) : urlOf(task), {
    info: { name: "interop", version: "1.0.0" },
    extensions: [extension],
    ...(task.mode === "legacy" && { era: "legacy" }),
  });
  const api = client.use(extension);
  const outcomes = await runSkillSteps(
    {
      list: async () => (await api.list()).skills.map(({ uri, description }) => ({ uri, description })),
      load: async (uri) => (await (await api.get(uri)).load()).body,
      read: async (uri, file) => (await api.get(uri)).read(file),
      async listFolder(uri) {
        const found: string[] = [];
        for await (const child of api.readDirectory(uri)) found.push(child.uri);
        return found;
      },
    },
    task,
  );
  await client.close();
  return outcomes;
});
