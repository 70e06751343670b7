import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Guide } from "./guide.ts";

/** The guides have commands of a POSIX shell, which Windows may not have. */
const hasShell = process.platform !== "win32";

describe.runIf(hasShell)("the guide to an API as tools, followed from an empty folder", () => {
  let guide: Guide;

  beforeAll(async () => {
    guide = await Guide.open("api-as-tools.md", [7001, 8080, 8081]);
    await guide.write("api.mjs");
    await guide.runBlock("node api.mjs");
    await guide.write("gateway.yaml");
  }, 60_000);

  afterAll(() => guide.close());

  test("serves two tools that were written by hand, and answers as it says", async () => {
    const [, , checked] = await guide.runBlock("toolwire-gateway check");
    expect(checked).toContain("notes (active): 2 tools");
    const [answer = ""] = await guide.runBlock('"get_note"');
    expect(JSON.parse(answer)).toEqual(guide.json("Buy milk"));
    const [found, calls] = await guide.runBlock("call notes find_notes");
    expect(found).toBe('[{"id":1,"text":"Buy milk"}]');
    expect(calls).toMatch(/ ok .*notes\/get_note\n.* ok .*notes\/find_notes$/);
  }, 60_000);

  test("turns an OpenAPI document into a server, which appears without a restart", async () => {
    await guide.write("notes.openapi.yaml");
    const [printed = ""] = await guide.runBlock("toolwire-gateway import");
    const [, server = ""] = printed.split("servers:\n");
    await guide.change("gateway.yaml", (text) => `${text}${server}\n`);
    await expect
      .poll(() => guide.runBlock("secret set notes-api-key").catch((error: Error) => [error.message]))
      .toContain('{"id":2,"text":"Call Ada"}');
  }, 60_000);

  test("makes a key for others", async () => {
    const [key] = await guide.runBlock("key create");
    expect(key).toMatch(/^twk_/);
  });
});

describe.runIf(hasShell)("the guide to one door for many servers, followed from an empty folder", () => {
  let guide: Guide;

  beforeAll(async () => {
    guide = await Guide.open("one-door.md", [7002, 8080, 8081]);
    await guide.write("files.mjs");
    await guide.write("docs.mjs");
    await guide.runBlock("node docs.mjs");
    await guide.write("gateway.yaml");
  }, 60_000);

  afterAll(() => guide.close());

  test("lists and calls the tools of both servers, without those that are excluded", async () => {
    const [, , , tools, file, found] = await guide.runBlock("toolwire-gateway serve");
    expect(tools).toContain("files_read_file");
    expect(tools).toContain("search");
    expect(tools).not.toContain("delete_file");
    expect(file).toBe("The contents of notes.txt in ./shared");
    expect(found).toBe("Two pages mention gateways.");
  }, 60_000);
});

describe.runIf(hasShell)("the guide to a protected server, followed from an empty folder", () => {
  let guide: Guide;

  beforeAll(async () => {
    guide = await Guide.open("protect-and-log-in.md", [7003, 7004]);
    await guide.write("login.mjs");
    await guide.runBlock("node login.mjs");
    await guide.write("server.mjs");
  }, 60_000);

  afterAll(() => guide.close());

  test("tells clients without a token where to get one, as it says", async () => {
    const [, refusal, metadata = ""] = await guide.runBlock("node server.mjs");
    expect(refusal).toMatch(/^401 Bearer .*resource_metadata="http/);
    expect(JSON.parse(metadata)).toEqual(guide.json("authorization_servers"));
  }, 60_000);

  test("lets a person in who logs in twice, and never again", async () => {
    const opened = await guide.useBrowser();
    await guide.write("client.mjs");
    const [first] = await guide.runBlock("buy milk");
    expect(first).toBe("You have no notes.\nNoted.\nbuy milk");
    expect(await opened()).toHaveLength(2);
    const [second] = await guide.runBlock("call Ada");
    expect(second).toBe("buy milk\nNoted.\nbuy milk, call Ada");
    expect(await opened()).toHaveLength(2);
  }, 60_000);

  test("lets a program in, which has notes of its own", async () => {
    await guide.write("report.mjs");
    expect(await guide.runBlock("node report.mjs")).toEqual(["You have no notes."]);
  }, 60_000);
});
