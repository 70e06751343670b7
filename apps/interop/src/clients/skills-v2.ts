// A client on version 2 of the official SDK, with the SDK's extension for skills. Its mode is that of the SDK.

import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { runSkillSteps } from "../steps/skill-steps.ts";
import { commandOf, report, urlOf } from "./task.ts";

await report(async (task) => {
  const { mode = "legacy" } = task;
  const client = new Client(
    { name: "interop", version: "1.0.0" },
    { versionNegotiation: { mode: mode === "legacy" ? mode : { pin: mode } } },
  );
  await client.connect(
    task.transport === "stdio"
      ? new StdioClientTransport(commandOf(task))
      : (new StreamableHTTPClientTransport(urlOf(task)) as Transport),
  );
  const skills = new SkillsClient(client);
  const outcomes = await runSkillSteps(
    {
      list: async () =>
        (await skills.list()).skills.map(({ uri, frontmatter }) => ({
          uri,
          description: frontmatter.description,
        })),
      load: async (uri) => (await skills.read((await skills.get(uri)).skill)).body ?? "",
      read: async (uri, file) => skills.read((await skills.get(uri)).skill, file),
      listFolder: async (uri) => (await skills.readDirectory(uri)).resources.map((child) => child.uri),
    },
    task,
  );
  await client.close();
  return outcomes;
});
