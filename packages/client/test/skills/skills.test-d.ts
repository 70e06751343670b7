import { connect } from "@toolwire/client";
import { createServer, method } from "@toolwire/server";
import { skill, skills as serveSkills } from "@toolwire/server/skills";
import { expectTypeOf, test } from "vitest";
import { skills, type RemoteSkill, type Skill, type SkillsApi } from "../../src/skills/index.ts";

const pdf = skill({ frontmatter: { name: "pdf", description: "Fill in forms" }, body: "# PDF" });

const server = createServer({
  name: "skills",
  version: "1",
  extensions: [
    serveSkills([pdf]),
    { id: "com.example/flags", methods: { "com.example/flags/get": method({ handle: () => ({ isOn: true }) }) } },
  ],
});

test("connect<typeof server>() knows the methods of skills, beside those of other extensions", async () => {
  const client = await connect<typeof server>("http://127.0.0.1:3000/mcp");
  expectTypeOf((await client.request("skills/list", {})).skills).toEqualTypeOf<readonly Skill[]>();
  expectTypeOf((await client.request("skills/get", { uri: "skill://pdf/SKILL.md" })).skill).toEqualTypeOf<Skill>();
  const { resources } = await client.request("resources/directory/read", { uri: "skill://pdf" });
  expectTypeOf(resources[0]?.mimeType).toEqualTypeOf<string | undefined>();
  // @ts-expect-error -- a URI is needed
  await client.request("skills/get", {});
});

test("client.use(skills()) knows what the extension offers", async () => {
  const extension = skills();
  const client = await connect("http://127.0.0.1:3000/mcp", { extensions: [extension] });
  const api = client.use(extension);
  expectTypeOf(api).toEqualTypeOf<SkillsApi>();
  expectTypeOf(await api.get("skill://pdf/SKILL.md")).toEqualTypeOf<RemoteSkill>();
});
