// A server on version 2 of the official SDK, with a skill, by the SDK's extension.

import { toNodeHandler, type NodeIncomingMessageLike } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { memorySkillFiles, SkillsExtension } from "@modelcontextprotocol/server/ext/skills";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { SKILL } from "../steps/skill-steps.ts";
import { listen, transport } from "./program.ts";

const catalog = await SkillsExtension.load(
  memorySkillFiles({
    [`${SKILL.path}/SKILL.md`]: `---\nname: ${SKILL.name}\ndescription: ${JSON.stringify(SKILL.description)}\n---\n${SKILL.body}`,
    [`${SKILL.path}/mails/confirmation.md`]: SKILL.mail,
    [`${SKILL.path}/logo.png`]: SKILL.picture,
  }),
  { strict: true },
);

if (transport === "stdio") serveStdio(makeServer);
else {
  const handle = toNodeHandler(createMcpHandler(makeServer));
  // Its optional members are not declared as this project's compiler settings want them.
  await listen((request, response) => void handle(request as NodeIncomingMessageLike, response), "/mcp");
}

function makeServer(): McpServer {
  const server = new McpServer({ name: "v2", version: "1.0.0" });
  catalog.attach(server);
  return server;
}
