// Our own server, with a skill.

import { createServer } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { skill, skills } from "@toolwire/server/skills";
import { serveStdio } from "@toolwire/server/stdio";
import { SKILL } from "../steps/skill-steps.ts";
import { announce, transport } from "./program.ts";

const refunds = skill({
  frontmatter: { name: SKILL.name, description: SKILL.description },
  body: SKILL.body,
  files: { "mails/confirmation.md": SKILL.mail, "logo.png": SKILL.picture },
});

const server = createServer({ name: "toolwire", version: "1.0.0", extensions: [skills([refunds])] });

if (transport === "stdio") serveStdio(server);
else announce((await serveHttp(server, { port: 0 })).url);
