import { describe, expect, it } from "vitest";
import { documentOf, importOne, inputOf, jsonBody, parameter, refusalOf } from "./documents.ts";

const user = { type: "object", required: ["name"], properties: { name: { type: "string" }, id: { type: "integer" } } };

describe("arguments side by side", () => {
  it("puts parameters and the properties of the body beside each other, and maps clashes", () => {
    const imported = importOne(
      documentOf(
        {
          parameters: [parameter("path", "id"), parameter("query", "id")],
          requestBody: jsonBody(user, { required: true }),
        },
        {},
        "put",
        "/users/{id}",
      ),
    );
    expect(imported.listing.input).toEqual({
      type: "object",
      properties: {
        id_path: { type: "string" },
        id_query: { type: "string" },
        name: { type: "string" },
        id: { type: "integer" },
      },
      required: ["id_path", "name"],
      additionalProperties: false,
    });
    const request = imported.operation.resolve({ id_path: "a/b".replace("/", "-"), id_query: "q", name: "n", id: 5 });
    expect(request).toMatchObject({ path: "/v1/users/a-b?id=q", body: '{"name":"n","id":5}' });
  });

  it("maps names that models refuse, in parameters and in the body", () => {
    const imported = importOne(
      documentOf({
        parameters: [parameter("query", "filter[name]"), parameter("query", "StartTime<")],
        requestBody: jsonBody({ type: "object", properties: { "first name": { type: "string" } } }),
      }),
    );
    expect(inputOf(imported)).toEqual({
      filter_name: { type: "string", description: 'Sent as "filter[name]".' },
      StartTime: { type: "string", description: 'Sent as "StartTime<".' },
      first_name: { type: "string", description: 'Sent as "first name".' },
    });
    const request = imported.operation.resolve({ filter_name: "a", StartTime: "b", first_name: "c" });
    expect(request).toMatchObject({ path: "/v1/things?filter%5Bname%5D=a&StartTime%3C=b", body: '{"first name":"c"}' });
  });

  it("takes a union, a list, a map or a large object as one argument called body", () => {
    const many = Object.fromEntries(Array.from({ length: 41 }, (_, index) => [`p${index}`, { type: "string" }]));
    for (const schema of [
      { oneOf: [user, { type: "object", properties: { x: { type: "string" } } }] },
      { type: "array", items: { type: "string" } },
      { type: "object", additionalProperties: { type: "string" } },
      { type: "object" },
      { type: "object", properties: many },
      { type: "string" },
    ]) {
      const imported = importOne(documentOf({ requestBody: jsonBody(schema, { required: true }) }));
      expect(Object.keys(inputOf(imported))).toEqual(["body"]);
      expect(imported.listing.input["required"]).toEqual(["body"]);
    }
    const imported = importOne(
      documentOf({ parameters: [parameter("query", "body")], requestBody: jsonBody({ type: "array" }) }),
    );
    expect(imported.operation.resolve({ body: [1], body_query: "q" })).toMatchObject({
      path: "/v1/things?body=q",
      body: "[1]",
    });
  });

  it("keeps unions out of the root, which is always a plain object", () => {
    const imported = importOne(documentOf({ requestBody: jsonBody({ anyOf: [user, { type: "string" }] }) }));
    expect(Object.keys(imported.listing.input)).toEqual(["type", "properties", "additionalProperties"]);
    expect(inputOf(imported)["body"]).toHaveProperty("anyOf");
  });

  it("keeps a body one argument if the document says that it is optional, but not its properties", () => {
    const optional = importOne(documentOf({ requestBody: jsonBody(user, { required: false }) }));
    expect(optional.listing.input).toMatchObject({ properties: { body: { required: ["name"] } } });
    expect(optional.listing.input).not.toHaveProperty("required");
    expect(optional.operation.resolve({}).body).toBeUndefined();
    const silent = importOne(documentOf({ requestBody: jsonBody(user) }));
    expect(silent.listing.input["required"]).toEqual(["name"]);
  });

  it("sends null, an empty object, or nothing, as the document says", () => {
    const nullable = { type: "object", properties: { a: { type: "string", nullable: true } } };
    const required = importOne(documentOf({ requestBody: jsonBody(nullable, { required: true }) }));
    expect(required.operation.resolve({ a: null }).body).toBe('{"a":null}');
    expect(required.operation.resolve({}).body).toBe("{}");
    const optional = importOne(documentOf({ requestBody: jsonBody(nullable) }));
    expect(optional.operation.resolve({}).body).toBeUndefined();
  });

  it("does not require a parameter that has a default, unless it is in the path", () => {
    const withDefault = { schema: { type: "string", default: "x" }, required: true };
    const imported = importOne(
      documentOf(
        { parameters: [parameter("path", "p", "string", withDefault), parameter("query", "q", "string", withDefault)] },
        {},
        "get",
        "/a/{p}",
      ),
    );
    expect(imported.listing.input["required"]).toEqual(["p"]);
    expect(imported.operation.resolve({ p: "1" }).path).toBe("/v1/a/1");
  });

  it("describes arguments in the words of the parameter, and notes deprecated ones", () => {
    const imported = importOne(
      documentOf({
        parameters: [
          {
            ...parameter("query", "a"),
            description: "<b>Of</b> the parameter",
            schema: { type: "string", description: "schema" },
          },
          { ...parameter("query", "b"), deprecated: true, description: "Old" },
          { name: "c", in: "query", content: { "application/json": { schema: { type: "object" } } } },
        ],
      }),
    );
    expect(inputOf(imported)).toEqual({
      a: { type: "string", description: "Of the parameter" },
      b: { type: "string", description: "Deprecated. Old", deprecated: true },
      c: { type: "object" },
    });
    expect(imported.operation.resolve({ c: { x: 1 } }).path).toBe("/v1/things?c=%7B%22x%22%3A1%7D");
  });
});

describe("arguments in groups", () => {
  it("gives each place an object of its own", () => {
    const imported = importOne(
      documentOf(
        {
          parameters: [
            parameter("path", "id"),
            parameter("query", "a[b]"),
            parameter("header", "X-Key"),
            parameter("cookie", "c"),
          ],
          requestBody: jsonBody(
            { ...user, properties: { ...user.properties, "x y": { type: "string" } } },
            { required: true },
          ),
        },
        {},
        "put",
        "/users/{id}",
      ),
      { arguments: "grouped" },
    );
    expect(imported.listing.input).toMatchObject({ required: ["path", "body"], additionalProperties: false });
    expect(Object.keys(inputOf(imported))).toEqual(["path", "query", "header", "cookie", "body"]);
    const request = imported.operation.resolve({
      path: { id: 1 },
      query: { a_b: 2 },
      header: { "X-Key": "k" },
      cookie: { c: "d" },
      body: { name: "n", x_y: "z" },
    });
    expect(request).toMatchObject({
      path: "/v1/users/1?a%5Bb%5D=2",
      headers: { "x-key": "k", cookie: "c=d" },
      body: '{"name":"n","x y":"z"}',
    });
  });
});

describe("bodies of other kinds", () => {
  const send = (content: object, args: object): { type: string | undefined; body: string } => {
    const { operation } = importOne(documentOf({ requestBody: { content, required: true } }));
    const { headers, body } = operation.resolve(args);
    return { type: headers["content-type"], body: typeof body === "string" ? body : new TextDecoder().decode(body) };
  };
  const form = {
    type: "object",
    properties: { a: { type: "string" }, list: { type: "array", items: { type: "string" } } },
  };

  it("prefers JSON, then what ends in +json, then forms, then the rest", () => {
    const types = [
      "text/plain",
      "multipart/form-data",
      "application/x-www-form-urlencoded",
      "application/vnd.x+json",
      "application/json; charset=utf-8",
    ];
    const chosen = types.map((_, index) => {
      const content = Object.fromEntries(types.slice(0, index + 1).map((type) => [type, { schema: form }]));
      return importOne(documentOf({ requestBody: { content } })).request.body!.contentType;
    });
    expect(chosen).toEqual(types);
    const both = documentOf({ requestBody: { content: { "application/json": { schema: form }, "text/plain": {} } } });
    expect(importOne(both, { tool: () => ({ bodyType: "text/plain" }) }).request.body!.contentType).toBe("text/plain");
  });

  it("sends any type as JSON if the document leaves it open", () => {
    expect(send({ "*/*": { schema: form } }, { a: "x" })).toEqual({ type: "application/json", body: '{"a":"x"}' });
  });

  it("sends forms, with the encoding of the document", () => {
    const urlencoded = "application/x-www-form-urlencoded";
    expect(send({ [urlencoded]: { schema: form } }, { a: "x y", list: ["1", "2"] }).body).toBe("a=x+y&list=1&list=2");
    const encoding = { list: { style: "deepObject", explode: true } };
    expect(send({ [urlencoded]: { schema: form, encoding } }, { list: ["1"] }).body).toBe("list%5B%5D=1");
  });

  it("takes files of multipart bodies as contents, also in lists and behind references", () => {
    const schema = {
      type: "object",
      required: ["file"],
      properties: {
        file: { $ref: "#/components/schemas/File" },
        more: { type: "array", items: { type: "string", format: "binary" } },
        note: { type: "string" },
      },
    };
    const document = documentOf(
      { requestBody: { content: { "multipart/form-data": { schema } }, required: true } },
      { components: { schemas: { File: { type: "string", format: "binary", description: "The picture" } } } },
    );
    const imported = importOne(document);
    expect(inputOf(imported)["file"]).toMatchObject({
      type: "object",
      properties: { base64: {}, text: {}, filename: {}, mimeType: {} },
    });
    expect(inputOf(imported)["more"]).toMatchObject({ type: "array", items: { type: "object" } });
    const { body } = imported.operation.resolve({
      file: { text: "hello", filename: "a.txt" },
      more: [{ base64: "aGk=" }],
      note: "n",
    });
    const sent = new TextDecoder().decode(body as Uint8Array);
    expect(sent).toContain('name="file"; filename="a.txt"\r\nContent-Type: application/octet-stream\r\n\r\nhello');
    expect(sent).toContain('name="more"; filename="more"');
    expect(sent).toContain('name="note"\r\n\r\nn');
  });

  it("takes a whole file, or a whole text, as the argument body", () => {
    expect(send({ "image/*": {} }, { body: { base64: "aGk=", mimeType: "image/png" } })).toEqual({
      type: "image/png",
      body: "hi",
    });
    expect(send({ "application/xml": { schema: form } }, { body: "<a/>" })).toEqual({
      type: "application/xml",
      body: "<a/>",
    });
  });

  it("leaves out the body of a GET, and says so", () => {
    const { notes, request } = importOne(documentOf({ requestBody: jsonBody(user) }, {}, "get"));
    expect(request.body).toBeUndefined();
    expect(notes).toEqual(["The body is left out, because GET requests have none."]);
  });

  it("sends the forms and files of Swagger 2", () => {
    const swagger = (parameters: object[], consumes: string[]): object => ({
      swagger: "2.0",
      paths: { "/things": { post: { parameters, consumes } } },
    });
    const field = { in: "formData", name: "tags", type: "array", items: { type: "string" }, collectionFormat: "pipes" };
    const fields = importOne(swagger([field], ["application/x-www-form-urlencoded"]));
    expect(fields.operation.resolve({ tags: ["a", "b"] }).body).toBe("tags=a%7Cb");
    const file = importOne(swagger([{ in: "formData", name: "f", type: "file", required: true }], []));
    expect(inputOf(file)["f"]).toMatchObject({ type: "object" });
    expect(file.request.body).toMatchObject({ format: "multipart", encoding: { f: { isFile: true } } });
  });
});

describe("parameters that cannot be sent", () => {
  it("refuses a path whose placeholder has no parameter", () => {
    expect(refusalOf(documentOf({}, {}, "get", "/users/{id}"))).toBe(
      "Its path has {id}, but there is no path parameter of that name.",
    );
  });

  it("leaves out headers that belong to HTTP itself, and parameters of paths that are not in the path", () => {
    const parameters = ["Accept", "Authorization", "Content-Type", "Host", "Transfer-Encoding", "X-Ok"].map((name) =>
      parameter("header", name),
    );
    const { notes, request } = importOne(documentOf({ parameters: [...parameters, parameter("path", "gone")] }));
    expect(request.parameters.map(({ name }) => name)).toEqual(["X-Ok"]);
    expect(notes).toEqual([
      'The header "Host" is left out, because arguments must not set it.',
      'The header "Transfer-Encoding" is left out, because arguments must not set it.',
      'The path does not have the parameter "gone".',
    ]);
  });

  it("refuses objects that would become cookies of any name", () => {
    const optional = documentOf({ parameters: [parameter("cookie", "c", "object")] });
    expect(importOne(optional).notes).toEqual([
      'The cookie "c" is left out: it is an exploded object, which could be any cookie.',
    ]);
    expect(refusalOf(documentOf({ parameters: [parameter("cookie", "c", "object", { required: true })] }))).toMatch(
      /exploded object/,
    );
    const joined = documentOf({ parameters: [parameter("cookie", "c", "object", { explode: false })] });
    expect(importOne(joined).operation.resolve({ c: { a: 1 } }).headers["cookie"]).toBe("c=a,1");
  });

  it("refuses operations whose parameters or body are references to nowhere", () => {
    expect(refusalOf(documentOf({ parameters: [{ $ref: "#/x" }] }))).toBe(
      'A parameter cannot be read: "#/x" leads nowhere.',
    );
    expect(refusalOf(documentOf({ requestBody: { $ref: "#/x" } }))).toBe(
      'The body cannot be read: "#/x" leads nowhere.',
    );
  });

  it("takes the usual style where a document names one that the place does not have", () => {
    const { operation } = importOne(
      documentOf(
        {
          parameters: [
            parameter("path", "a", "array", { style: "form" }),
            parameter("query", "b", "array", { style: "simple" }),
          ],
        },
        {},
        "get",
        "/x/{a}",
      ),
    );
    expect(operation.resolve({ a: ["1", "2"], b: ["3", "4"] }).path).toBe("/v1/x/1,2?b=3&b=4");
  });

  it("hands the styles of the document on", () => {
    const parameters = [
      parameter("query", "deep", "object", { style: "deepObject", explode: true }),
      parameter("query", "list", "array", { style: "pipeDelimited", explode: false }),
    ];
    const document = documentOf({ parameters });
    const args = { deep: { a: { b: 1 }, c: ["x"] }, list: ["1", "2"] };
    expect(importOne(document).operation.resolve(args).path).toBe(
      "/v1/things?deep%5Ba%5D%5Bb%5D=1&deep%5Bc%5D%5B%5D=x&list=1%7C2",
    );
    const repeated = importOne(document, { deepObjectArrays: "repeat" });
    expect(repeated.operation.resolve(args).path).toContain("deep%5Bc%5D=x");
  });
});
