import { expect, test } from "vitest";
import { redactConfig } from "../../src/admin/redact-config.ts";
import { startAdmin } from "./fixture/start-admin.ts";

/** A server in front of a program with these arguments. */
function withArguments(...args: readonly string[]): object {
  return { upstreams: { docs: { command: "docker", args } } };
}

test("secrets-appear-nowhere: credentials in the arguments of a command are hidden, in every form in which programs take them", async () => {
  const { send } = await startAdmin();
  const canaries = Array.from({ length: 9 }, (_, index) => `canary-of-argument-${index}`);
  const made = await send(
    "PUT",
    "servers/docs",
    withArguments(
      "run",
      "--token",
      `${canaries[0]}`,
      `--api-key=${canaries[1]}`,
      "-e",
      `GITHUB_TOKEN=${canaries[2]}`,
      `--env=API_KEY=${canaries[3]}`,
      "--header",
      `Authorization: Bearer ${canaries[4]}`,
      `--header=X-Api-Key:${canaries[5]}`,
      "--config",
      JSON.stringify({ apiKey: canaries[6] }),
      `https://user:${canaries[7]}@example.com/mcp?key=${canaries[8]}`,
      "--verbose",
      "https://example.com/mcp",
    ),
  );
  expect(made.status).toBe(201);
  const reads = await Promise.all(["servers/docs", "upstreams", "config"].map((path) => send("GET", path)));
  for (const { text } of [made, ...reads]) {
    for (const canary of canaries) expect(text).not.toContain(canary);
  }
  expect(made.json.config.upstreams.docs.args).toEqual([
    "run",
    "--token",
    "[secret]",
    "--api-key=[secret]",
    "-e",
    "GITHUB_TOKEN=[secret]",
    "--env=API_KEY=[secret]",
    "--header",
    "Authorization: [secret]",
    "--header=X-Api-Key:[secret]",
    "--config",
    "[secret]",
    "https://[secret]@example.com/mcp?key=[secret]",
    "--verbose",
    "https://example.com/mcp",
  ]);
});

test("lists that are no arguments are shown as they are, though scopes may be called after secrets", () => {
  const config = { auth: { oauth: { scopes: ["secrets:read", "key=all"] } }, access: [{ tools: ["-token", "x"] }] };
  expect(redactConfig(config)).toEqual(config);
});

test("arguments that are sent as they were shown keep their values", async () => {
  const { send, gateway } = await startAdmin();
  const args = ["--token", "first-value", "-e", "API_KEY=second-value", "--header", "Authorization: Bearer third"];
  const made = await send("PUT", "servers/docs", withArguments(...args));
  const { command } = made.json.config.upstreams.docs;
  const shown = [...made.json.config.upstreams.docs.args, "--verbose"];
  const again = { upstreams: { docs: { command, args: shown } } };
  expect((await send("PUT", "servers/docs", again, { "if-match": '"1"' })).status).toBe(200);
  expect(gateway.server("docs")?.config.upstreams?.["docs"]?.args).toEqual([...args, "--verbose"]);
});

test("a hidden argument that was moved behind another flag is refused: it would become another credential", async () => {
  const { send, gateway } = await startAdmin();
  const args = ["--token", "value-of-the-token", "--key", "value-of-the-key"];
  await send("PUT", "servers/docs", withArguments(...args));
  const moved = await send("PUT", "servers/docs", withArguments("--key", "[secret]"), { "if-match": '"1"' });
  expect(moved.status).toBe(400);
  expect(moved.json.error.message).toMatch(/^upstreams\.docs\.args\[1\] is "\[secret\]"/);
  expect(gateway.server("docs")?.config.upstreams?.["docs"]?.args).toEqual(args);
});

test("a text of a schema that looks like a hidden one is kept: nothing is hidden there", async () => {
  const { send, gateway } = await startAdmin();
  const input = {
    type: "object",
    properties: { note: { type: "string", description: "Replaces words by [secret]." } },
  };
  const tool = { description: "Writes", request: { method: "POST", url: "https://api.example.com/notes" }, input };
  expect((await send("PUT", "servers/notes", { tools: { write: tool } })).status).toBe(201);
  expect(gateway.server("notes")?.config.tools?.["write"]?.input).toEqual(input);
});
