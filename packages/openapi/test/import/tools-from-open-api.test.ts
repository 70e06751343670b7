import { connect } from "@toolwire/client";
import { createServer, type ToolDefinition } from "@toolwire/server";
import { serveInMemory } from "@toolwire/server/memory";
import { stringify } from "yaml";
import { describe, expect, it } from "vitest";
import { createHttpCaller, toolsFromOpenApi, type ToolsFromOpenApiOptions } from "../../src/index.ts";
import { answerJson, startApi, type TestApi } from "../test-api.ts";

const PETS = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1.0.0" },
  servers: [{ url: "https://pets.example/v1" }],
  security: [{ key: [] }],
  components: {
    securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } },
    schemas: {
      Pet: {
        type: "object",
        required: ["id", "name"],
        properties: {
          id: { type: "integer", readOnly: true },
          name: { type: "string", minLength: 1 },
          tags: { type: "array", items: { type: "string" } },
          parent: { $ref: "#/components/schemas/Pet" },
        },
      },
    },
  },
  paths: {
    "/pets": {
      get: {
        operationId: "listPets",
        summary: "Lists pets",
        parameters: [{ name: "tags", in: "query", schema: { type: "array", items: { type: "string" } } }],
        responses: {
          200: {
            content: {
              "application/json": {
                schema: { type: "object", required: ["pets"], properties: { pets: { type: "array" } } },
              },
            },
          },
        },
      },
      post: {
        operationId: "createPet",
        summary: "Creates a pet",
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } },
        },
      },
    },
    "/pets/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      get: { operationId: "getPet", responses: {} },
      delete: { operationId: "deletePet", responses: {} },
    },
  },
};

/** An API that knows no pet called `nobody`. */
function startPets(): Promise<TestApi> {
  return startApi((response, request) => {
    if (request.url.endsWith("/nobody")) answerJson(response, { message: "No such pet" }, 404);
    else answerJson(response, { pets: [], seen: request.url });
  });
}

async function serve(api: TestApi, options: ToolsFromOpenApiOptions = {}, document: unknown = PETS) {
  const http = createHttpCaller({ network: { allow: ["127.0.0.1"] } });
  const { tools, report } = toolsFromOpenApi(document, {
    baseUrl: `${api.origin}/v1`,
    auth: { key: "k-123456789" },
    http,
    ...options,
  });
  const server = createServer({ name: "pets", version: "1.0.0", tools });
  const client = await connect(serveInMemory(server));
  return {
    tools,
    report,
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await http.close();
    },
  };
}

describe("tools of a document", () => {
  it("are listed with the schemas, titles and hints of their operations", async () => {
    await using api = await startPets();
    await using served = await serve(api);
    const { tools } = await served.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["list_pets", "create_pet", "get_pet", "delete_pet"]);
    expect(tools[0]).toMatchObject({
      title: "Lists pets",
      description: "Lists pets",
      annotations: { readOnlyHint: true },
    });
    expect(tools[1]!.inputSchema).toEqual({
      type: "object",
      properties: {
        name: { type: "string", minLength: 1 },
        tags: { type: "array", items: { type: "string" } },
        parent: { $ref: "#/$defs/Pet" },
      },
      required: ["name"],
      additionalProperties: false,
      $defs: {
        Pet: {
          type: "object",
          properties: {
            name: { type: "string", minLength: 1 },
            tags: { type: "array", items: { type: "string" } },
            parent: { $ref: "#/$defs/Pet" },
          },
          required: ["name"],
        },
      },
    });
    expect(tools[3]).toMatchObject({
      description: "DELETE /pets/{id}",
      annotations: { destructiveHint: true, idempotentHint: true },
    });
  });

  it("send the request of the operation with its credential, and return the response as it is", async () => {
    await using api = await startPets();
    await using served = await serve(api);
    const listed = await served.client.callTool("list_pets", { tags: ["a b", "c"] });
    expect(listed.content).toEqual([{ type: "text", text: '{"pets":[],"seen":"/v1/pets?tags=a%20b&tags=c"}' }]);
    await served.client.callTool("create_pet", { name: "Rex", parent: { name: "Old" } });
    expect(api.seen.map(({ method, url, body, headers }) => [method, url, body, headers["x-key"]])).toEqual([
      ["GET", "/v1/pets?tags=a%20b&tags=c", "", "k-123456789"],
      ["POST", "/v1/pets", '{"name":"Rex","parent":{"name":"Old"}}', "k-123456789"],
    ]);
  });

  it("return failures of the API as results that the model reads", async () => {
    await using api = await startPets();
    await using served = await serve(api);
    expect(await served.client.callTool("get_pet", { id: "nobody" })).toMatchObject({
      isError: true,
      content: [{ type: "text", text: "Error: Upstream API returned 404 - No such pet" }],
    });
  });

  it("refuse arguments that do not fit before anything is sent, and parse JSON that models write as text", async () => {
    await using api = await startPets();
    await using served = await serve(api);
    const refused = await served.client.callTool("create_pet", { name: "", id: 5 });
    expect(refused).toMatchObject({ isError: true });
    expect(JSON.stringify(refused.content)).toContain("id: unknown property");
    expect(api.seen).toEqual([]);
    await served.client.callTool("create_pet", { name: "Rex", tags: '["a"]', parent: '{"name":"Old"}' });
    expect(api.seen[0]!.body).toBe('{"name":"Rex","tags":["a"],"parent":{"name":"Old"}}');
  });

  it("check arguments by the rules for schemas of others: in the same words, with formats as annotations", async () => {
    await using api = await startPets();
    const schema = {
      type: "array",
      items: { type: "object", properties: { "x y": { type: "string", format: "date-time" } } },
    };
    const document = {
      openapi: "3.0.0",
      paths: { "/a": { post: { operationId: "a", requestBody: { content: { "application/json": { schema } } } } } },
    };
    await using served = await serve(api, { auth: undefined }, document);
    expect(await served.client.callTool("a", { body: [{ "x y": "2024-01-01" }] })).not.toHaveProperty("isError");
    const refused = await served.client.callTool("a", { body: [{}, { "x y": 5 }] });
    expect(refused.content).toEqual([
      { type: "text", text: 'Invalid arguments for tool "a":\n- body[1]["x y"]: expected string, got number 5' },
    ]);
  });

  it("can be made of YAML, and of several documents", async () => {
    await using api = await startPets();
    const { schemas, ...components } = PETS.components;
    const split = JSON.parse(
      JSON.stringify({ ...PETS, components }).replaceAll("#/components/schemas/Pet", "pets.json#/Pet"),
    ) as object;
    const others = {
      "pets.json": JSON.parse(JSON.stringify(schemas).replaceAll("#/components/schemas/Pet", "#/Pet")) as object,
    };
    await using served = await serve(api, { documents: others }, stringify(split));
    await served.client.callTool("create_pet", { name: "Rex", parent: { name: "Old" } });
    expect(api.seen[0]!.body).toBe('{"name":"Rex","parent":{"name":"Old"}}');
    expect(await served.client.callTool("create_pet", { name: "Rex", parent: { name: "" } })).toMatchObject({
      isError: true,
    });
  });

  it("list the schema of their responses if asked, loosened", async () => {
    await using api = await startPets();
    await using served = await serve(api, { include: ["listPets"], response: { output: true } });
    const { tools } = await served.client.listTools();
    expect(tools[0]!.outputSchema).toEqual({ type: "object", properties: { pets: { type: "array", items: {} } } });
    expect(await served.client.callTool("list_pets")).toMatchObject({
      structuredContent: { pets: [], seen: "/v1/pets" },
    });
  });

  it("let the model choose fields if asked", async () => {
    await using api = await startPets();
    await using served = await serve(api, { include: ["listPets"], response: { fields: true } });
    const { content } = await served.client.callTool("list_pets", { _fields: ["seen"] });
    expect(content).toEqual([{ type: "text", text: '{"seen":"/v1/pets"}' }]);
  });

  it("can be changed one by one", async () => {
    await using api = await startPets();
    await using served = await serve(api, {
      auth: undefined,
      tool: ({ id }) =>
        id === "getPet"
          ? { name: "pet", title: "T", description: "D", auth: null, annotations: { openWorldHint: false } }
          : false,
    });
    const { tools } = await served.client.listTools();
    expect(tools).toMatchObject([
      { name: "pet", title: "T", description: "D", annotations: { readOnlyHint: true, openWorldHint: false } },
    ]);
    await served.client.callTool("pet", { id: "1" });
    expect(api.seen[0]!.headers["x-key"]).toBeUndefined();
  });

  it("are an error if there are none, which names the reason", () => {
    expect(() => toolsFromOpenApi(PETS, { baseUrl: "https://a.example" })).toThrow(
      'None of 4 operations became a tool. For 4 of them: It needs a credential: "key" (apiKey in header X-Key). Pass `auth: { "key": … }`.',
    );
    expect(() => toolsFromOpenApi(PETS, { auth: { key: "k" } })).toThrow(/Pass `baseUrl`/);
    expect(toolsFromOpenApi({ openapi: "3.0.0", paths: {} }).tools).toEqual({});
  });

  it.each<[string, object, RegExp]>([
    ["a misspelt option", { baseURL: "https://a.example" }, /toolsFromOpenApi.*baseUrl/s],
    ["a mode that does not exist", { mode: "serach" }, /`mode` must be/],
    ["arguments in another form", { arguments: "nested" }, /`arguments` must be/],
    ["a document URL that is a path", { documentUrl: "openapi.yaml" }, /`documentUrl` must be an absolute URL/],
    ["a caller that is none", { http: {} }, /`http` must be made by createHttpCaller/],
    ["a change that does not exist", { tool: () => ({ descripton: "x" }) }, /description/],
  ])("refuse %s", (_, options, message) => {
    const given = { baseUrl: "https://a.example", auth: { key: "k" }, ...options };
    expect(() => toolsFromOpenApi(PETS, given)).toThrow(message);
  });
});

describe("wishes of the author of a document", () => {
  it("set names, texts and hints, but cannot call a method that writes harmless", () => {
    const document = {
      openapi: "3.0.0",
      // A name for everything would be none.
      "x-mcp": { name: "everything", annotations: { openWorldHint: false } },
      paths: {
        "/a": {
          delete: {
            "x-toolwire": {
              name: "remove it",
              title: "T",
              description: "D",
              annotations: { readOnlyHint: true, destructiveHint: false },
            },
          },
          post: { "x-mcp": { annotations: { readOnlyHint: true } } },
        },
        "/b": { "x-mcp": false, get: {}, post: { "x-mcp": true } },
      },
    };
    const { tools } = toolsFromOpenApi(document, { baseUrl: "https://a.example" });
    expect(Object.keys(tools)).toEqual(["remove_it", "create_a", "create_b"]);
    const { remove_it, create_a } = tools as { [name: string]: ToolDefinition };
    expect(remove_it).toMatchObject({ title: "T", description: "D" });
    expect(remove_it!.annotations).toEqual({ idempotentHint: true, destructiveHint: false, openWorldHint: false });
    expect(create_a!.annotations).toEqual({ readOnlyHint: true, openWorldHint: false });
  });
});
