import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { COMMANDS } from "../../src/cli/commands.ts";
import { runCommandLine } from "../../src/cli/run.ts";

const DOCUMENT = `
openapi: 3.1.0
info: { title: Pet Store (v3), version: "1" }
servers: [{ url: https://pets.example.com/v3 }]
security: [{ key: [] }]
paths:
  /pets:
    get: { operationId: listPets, tags: [pets], responses: { "200": { description: all } } }
    post:
      operationId: addPet
      tags: [pets]
      requestBody: { content: { application/json: { schema: { type: object, properties: { name: { type: string } } } } } }
      responses: { "200": { description: added } }
    delete: { operationId: dropPets, deprecated: true, tags: [pets], responses: {} }
  /shops/{id}:
    get:
      operationId: getShop
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses: { "200": { description: one } }
  /broken/{id}:
    get: { operationId: broken, responses: { "200": { description: its path names no parameter } } }
components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Key } } }
`;

let folder: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolwire-import-"));
  file = join(folder, "pets.yaml");
  await writeFile(file, DOCUMENT);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(...argv: readonly string[]): Promise<{ code: number; printed: string; told: string }> {
  const printed: string[] = [];
  const told: string[] = [];
  const code = await runCommandLine(COMMANDS, ["import", ...argv], {
    print: (line) => printed.push(line),
    tell: (line) => told.push(line),
    readInput: () => Promise.resolve(""),
    env: {},
    isTerminal: false,
  });
  return { code, printed: printed.join("\n"), told: told.join("\n") };
}

describe("toolwire-gateway import", () => {
  test("prints a configuration file of every operation that can become a tool, with references in place of credentials", async () => {
    const { code, printed, told } = await run(file);
    expect(code).toBe(0);
    expect(parse(printed)).toEqual({
      version: 1,
      servers: {
        "pet-store-v3": {
          title: "Pet Store (v3)",
          openapi: {
            document: expect.stringMatching(/^\.\.?\/.*\/pets\.yaml$/),
            baseUrl: "https://pets.example.com/v3",
          },
          credentials: { key: { apiKey: "${secret:pet-store-v3-key}", in: "header", name: "X-Key" } },
        },
      },
    });
    expect(told).toMatch(/left out: GET \/broken\/\{id\}: /);
    expect(told).toMatch(/3 of 5 operations: \d+ bytes, about \d+ tokens/);
    // The path is one from the folder in which the command runs, whatever was typed.
    const { document } = (parse(printed) as { servers: { [slug: string]: { openapi: { document: string } } } }).servers[
      "pet-store-v3"
    ]!.openapi;
    expect(resolve(document)).toBe(file);
  });

  test("counts the operations that are left out on purpose in one line, and names them only if asked", async () => {
    const brief = await run(file, "--tag", "pets");
    expect(brief.told.match(/^left out: .*$/gm)).toEqual([
      "left out: 1 deprecated (--verbose names them)",
      "left out: 2 that the options do not choose (--verbose names them)",
    ]);
    const verbose = await run(file, "--tag", "pets", "--verbose");
    expect(verbose.told.match(/^left out: .*$/gm)).toEqual([
      "left out: DELETE /pets: It is deprecated.",
      "left out: GET /shops/{id}: `include` does not name it.",
      "left out: GET /broken/{id}: `include` does not name it.",
    ]);
  });

  test("says how many tokens lean descriptions save", async () => {
    const wordy = DOCUMENT.replace("tags: [pets]", `tags: [pets], description: "${"These are words. ".repeat(60)}"`);
    await writeFile(join(folder, "wordy.yaml"), wordy);
    const { told } = await run(join(folder, "wordy.yaml"));
    expect(told).toMatch(/about \d+ tokens for a model to read, \d+ fewer than with `descriptions: full`\./);
  });

  test.each([
    ['[{ url: "//cluster.local" }]', 'Its server is "//cluster.local", which has no scheme.'],
    ['[{ url: "/v3" }]', 'Its server is "/v3", which is relative.'],
    ["[]", "The document names no server."],
  ])(
    "says of a document with the servers %s that requests have nowhere to go, unless a base URL is given",
    async (servers, reason) => {
      const path = join(folder, "nowhere.yaml");
      await writeFile(path, DOCUMENT.replace("[{ url: https://pets.example.com/v3 }]", servers));
      const { told, printed } = await run(path);
      expect(told).toContain(reason);
      expect(told).toContain("Requests have nowhere to go: pass --base-url, or set `baseUrl` in the file.");
      expect(printed).not.toContain("baseUrl");
      const given = await run(path, "--base-url", "https://x.example");
      expect(given.told).not.toContain("server");
      expect(given.printed).toContain("baseUrl: https://x.example");
    },
  );

  test("writes the style of names, which must be one that there is", async () => {
    expect(parse((await run(file, "--names", "operationId")).printed)).toMatchObject({
      servers: { "pet-store-v3": { openapi: { names: "operationId" } } },
    });
    await expect(run(file, "--names", "short")).resolves.toMatchObject({ code: 2 });
  });

  test("takes only the operations that fit all options", async () => {
    const { printed } = await run(
      file,
      "--tag",
      "pets",
      "--method",
      "GET",
      "--slug",
      "pets",
      "--base-url",
      "https://x.example",
    );
    expect(parse(printed)).toMatchObject({
      servers: { pets: { openapi: { include: { tags: ["pets"], methods: ["GET"] }, baseUrl: "https://x.example" } } },
    });
  });

  test("fetches a document from an internal address only if that is allowed", async () => {
    const api = createServer((_request, response) => response.end(DOCUMENT));
    await new Promise<void>((done) => api.listen(0, "127.0.0.1", done));
    try {
      const url = `http://127.0.0.1:${(api.address() as AddressInfo).port}/pets.yaml`;
      await expect(run(url)).resolves.toMatchObject({ code: 1, printed: "" });
      await expect(run(url, "--allow", "127.0.0.1")).resolves.toMatchObject({ code: 0 });
    } finally {
      api.close();
    }
  });

  test("says what is wrong with a file that is not there, a document that is none, and a slug that is none", async () => {
    const missing = await run(join(folder, "missing.yaml"));
    expect(missing.code).toBe(1);
    expect(missing.told).toContain("The document cannot be read");
    await writeFile(join(folder, "none.yaml"), "hello: world");
    await expect(run(join(folder, "none.yaml"))).resolves.toMatchObject({ code: 1, printed: "" });
    await expect(run(file, "--slug", "Pets!")).resolves.toMatchObject({ code: 2 });
  });

  test("fails if no operation is left", async () => {
    const { code, told } = await run(file, "--include", "nothing*");
    expect(code).toBe(1);
    expect(told).toContain("No operation of the document can become a tool.");
  });
});
