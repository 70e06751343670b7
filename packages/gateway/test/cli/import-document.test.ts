import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
            document: file,
            include: { operations: expect.arrayContaining(["listPets", "addPet", "getShop"]) },
            baseUrl: "https://pets.example.com/v3",
          },
          credentials: { key: { apiKey: "${secret:pet-store-v3-key}", in: "header", name: "X-Key" } },
        },
      },
    });
    expect(told).toMatch(/left out: GET \/broken\/\{id\}: /);
    expect(told).toMatch(/3 of 4 operations: \d+ bytes, about \d+ tokens/);
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
      servers: { pets: { openapi: { include: { operations: ["listPets"] }, baseUrl: "https://x.example" } } },
    });
  });

  test("fetches a document from an internal address only if that is allowed", async () => {
    const api = createServer((_request, response) => response.end(DOCUMENT));
    await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
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
