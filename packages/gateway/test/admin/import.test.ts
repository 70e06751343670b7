import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pruneDocument } from "../../src/admin/import/prune-document.ts";
import { PETS } from "./fixture/fake-gateway.ts";
import { startAdmin } from "./fixture/start-admin.ts";

const HEAD = "openapi: 3.1.0\ninfo: { title: Notes, version: '1' }\npaths: {}\n";
const DOCUMENT = JSON.stringify(PETS);

describe("the two phases of an import", () => {
  test("A document becomes candidates with their sizes, and nothing else changes", async () => {
    const { send, gateway } = await startAdmin();
    const { status, json } = await send("POST", "servers/pets/import", { document: DOCUMENT });
    expect(status).toBe(201);
    expect(json).toMatchObject({ title: "Pet shop", version: "3.1.0", servers: ["https://pets.example/v1"] });
    expect(json.candidates.map((each: { id: string }) => each.id)).toEqual([
      "GET /pets",
      "POST /pets",
      "GET /pets/{id}",
      "GET /reports/{kind}",
    ]);
    expect(json.candidates[0]).toMatchObject({ tool: "list_pets", operationId: "listPets", description: "Lists pets" });
    expect(json.candidates[0].tokens).toBeGreaterThan(0);
    expect(json.candidates[3]).toMatchObject({ reason: expect.stringContaining("kind") });
    expect(gateway.server("pets")).toBeUndefined();
  });

  test("The chosen candidates become a draft server with credentials that refer to sealed secrets", async () => {
    const { send, gateway } = await startAdmin();
    const { json } = await send("POST", "servers/pets/import", { document: DOCUMENT });
    const committed = await send("POST", `servers/pets/import/${json.id}/commit`, {
      operations: ["POST /pets"],
      baseUrl: "https://pets.example/v1",
      schemes: ["bearerAuth"],
    });
    expect(committed.status).toBe(201);
    expect(committed.json).toMatchObject({ slug: "pets", status: "draft", title: "Pet shop" });
    const config = gateway.server("pets")?.config;
    expect(config?.credentials).toEqual({ bearerAuth: { bearer: "${secret:pets-bearerAuth}" } });
    const document = config?.openapi?.document as typeof PETS;
    expect(Object.keys(document.paths)).toEqual(["/pets"]);
    expect(Object.keys(document.paths["/pets"])).toEqual(["post"]);
    expect(Object.keys(document.components.schemas)).toEqual(["Pet", "Owner"]);
    expect((await gateway.storage.audit.list(1))[0]).toMatchObject({ action: "server.import", subject: "pets" });
  });

  test("In a server that runs, only the new tools are drafts", async () => {
    const { send, gateway } = await startAdmin();
    const { json } = await send("POST", "servers/crm/import", { document: DOCUMENT });
    const path = `servers/crm/import/${json.id}/commit`;
    const blind = await send("POST", path, { operations: ["GET /pets"] });
    expect(blind.status).toBe(428);
    const committed = await send("POST", path, { operations: ["GET /pets"] }, { "if-match": '"1"' });
    expect(committed.status).toBe(200);
    expect(gateway.server("crm")?.config.overrides).toEqual({ list_pets: { status: "draft" } });
    expect(gateway.server("crm")?.config.tools).toHaveProperty("find_contact");
    const second = await send("POST", "servers/crm/import", { document: DOCUMENT });
    expect(second.json.error.code).toBe("has_document");
  });

  test("An import is good for one commit, under its own slug, for half an hour", async () => {
    const { send, clock } = await startAdmin();
    const { json } = await send("POST", "servers/pets/import", { document: DOCUMENT });
    expect((await send("POST", `servers/other/import/${json.id}/commit`, { operations: ["GET /pets"] })).status).toBe(
      404,
    );
    clock.now += 30 * 60_000;
    expect((await send("POST", `servers/pets/import/${json.id}/commit`, { operations: ["GET /pets"] })).status).toBe(
      404,
    );
  });

  test("YAML is read, and so is a document from an allowed address", async () => {
    const { send } = await startAdmin();
    const yaml =
      "openapi: 3.1.0\ninfo: { title: Notes, version: '1' }\nservers: []\npaths:\n  /notes:\n    get: { operationId: list, responses: {} }\n";
    expect((await send("POST", "servers/notes/import", { document: yaml })).json.candidates).toHaveLength(1);
    const fetched = await send("POST", "servers/pets/import", { url: "https://specs.example/pets.json" });
    expect(fetched.json.candidates).toHaveLength(4);
  });

  test.each([
    ["neither a document nor a URL", {}, 400],
    ["both", { document: "{}", url: "https://specs.example/x" }, 400],
    ["a URL of a file", { url: "file:///etc/passwd" }, 400],
    ["an address that is not allowed", { url: "http://169.254.169.254/" }, 422],
    ["broken JSON", { document: "{" }, 422],
    ["broken YAML", { document: "a: [" }, 422],
    ["YAML that grows without end", { document: `${HEAD}a: &a [x,x]\n${bomb()}` }, 422],
    ["a text", { document: "hello" }, 422],
    ["an object that is no OpenAPI document", { document: "{}" }, 422],
  ])("An import of %s is refused with a reason", async (_, body, status) => {
    const { send } = await startAdmin();
    const sent = await send("POST", "servers/pets/import", body);
    expect(sent.status).toBe(status);
    expect(sent.json.error.message.length).toBeGreaterThan(20);
  });

  test.each([
    ["no operation", { operations: [] }],
    ["an unknown operation", { operations: ["GET /nope"] }],
    ["an operation that cannot become a tool", { operations: ["GET /reports/{kind}"] }],
    ["an unknown scheme", { operations: ["GET /pets"], schemes: ["nope"] }],
    ["an unknown status", { operations: ["GET /pets"], status: "live" }],
  ])("A commit of %s is refused", async (_, body) => {
    const { send, gateway } = await startAdmin();
    const { json } = await send("POST", "servers/pets/import", { document: DOCUMENT });
    expect((await send("POST", `servers/pets/import/${json.id}/commit`, body)).status).toBe(400);
    expect(gateway.server("pets")).toBeUndefined();
  });
});

describe("pruning of documents", () => {
  test("Definitions that are reached through others, mappings, escapes and cycles stay", () => {
    const pruned = pruneDocument(
      {
        openapi: "3.1.0",
        paths: {
          "/a": {
            parameters: [{ $ref: "#/components/parameters/p~1q" }],
            get: { $ref2: "#/x", v: { $ref: "#/components/schemas/A" } },
          },
        },
        components: {
          parameters: { "p/q": {}, other: {} },
          schemas: {
            A: { discriminator: { mapping: { b: "#/components/schemas/B/properties/x" } } },
            B: { items: { $ref: "#/components/schemas/A" } },
            C: {},
          },
          securitySchemes: { key: {} },
        },
      },
      [{ method: "GET", path: "/a" }],
    );
    expect(pruned).toMatchObject({
      paths: { "/a": { get: {}, parameters: [{}] } },
      components: { parameters: { "p/q": {} }, schemas: { A: {}, B: {} }, securitySchemes: { key: {} } },
    });
    expect(pruned["components"]).not.toHaveProperty("schemas.C");
    expect(pruned["components"]).not.toHaveProperty("parameters.other");
  });

  test("A document with a very long list can be pruned", () => {
    const schema = { enum: Array.from({ length: 500_000 }, (_, index) => index) };
    const operation = { parameters: [{ name: "code", in: "query", schema }] };
    const pruned = pruneDocument({ paths: { "/codes": { get: operation } } }, [{ method: "GET", path: "/codes" }]);
    expect(pruned).toMatchObject({ paths: { "/codes": { get: { parameters: [{ name: "code" }] } } } });
  });

  test("Any JSON can be pruned, and stays free of what was not chosen", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<unknown>), (document) => {
        const pruned = pruneDocument(document, []);
        expect(pruned["paths"]).toEqual({});
      }),
    );
  });
});

function bomb(): string {
  return Array.from(
    { length: 30 },
    (_, index) =>
      `b${index}: &b${index} [*${index === 0 ? "a" : `b${index - 1}`},*${index === 0 ? "a" : `b${index - 1}`}]`,
  ).join("\n");
}
