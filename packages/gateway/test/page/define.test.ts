import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pairsOf, textsOf } from "../../page/src/define/pairs.ts";
import { NO_PROBLEMS, placeProblems } from "../../page/src/define/problem-places.ts";
import { readToolForm, readUpstreamForm } from "../../page/src/define/read-forms.ts";
import { findConflict, findTwice, saveDefinition, slugOf, type Target } from "../../page/src/define/save-definition.ts";
import {
  draftOfTool,
  EMPTY_ARGUMENT,
  EMPTY_TOOL,
  METHODS,
  PLACES,
  toolOfDraft,
  withArgumentsOfUrl,
  writeSchema,
  type ToolDraft,
} from "../../page/src/define/tool-draft.ts";
import {
  draftOfUpstream,
  EMPTY_UPSTREAM,
  secretNameOf,
  upstreamOfDraft,
  type UpstreamDraft,
} from "../../page/src/define/upstream-draft.ts";
import { readConfigSchema } from "../../src/config/check/shape.ts";
import { expectServerConfig, sourcesOf } from "../../src/config/load-config.ts";
import type { HttpToolConfig, UpstreamConfig } from "../../src/config/config.ts";

const URL_OF_CITIES = "https://api.example/cities/{city}";

const FILLED: ToolDraft = {
  ...EMPTY_TOOL,
  name: "get_city",
  title: " City ",
  description: " One city ",
  method: "POST",
  url: ` ${URL_OF_CITIES} `,
  rows: [
    { ...EMPTY_ARGUMENT, name: " city ", isRequired: true, description: " Its name " },
    { ...EMPTY_ARGUMENT, name: "days", type: "integer", place: "query" },
  ],
  headers: [
    { name: " accept ", value: "text/plain" },
    { name: " ", value: "left out" },
  ],
  credential: "api",
  select: " items ",
  as: "auto",
  status: "draft",
};

const TOOL: HttpToolConfig = {
  title: "City",
  description: "One city",
  status: "draft",
  request: {
    method: "POST",
    url: URL_OF_CITIES,
    params: { days: "query" },
    headers: { accept: "text/plain" },
  },
  input: {
    type: "object",
    properties: { city: { type: "string", description: "Its name" }, days: { type: "integer" } },
    required: ["city"],
  },
  response: { select: "items", as: "auto" },
  credential: "api",
};

describe("a tool by hand", () => {
  test("What a form says becomes a configuration that the gateway takes", () => {
    expect(toolOfDraft(FILLED)).toEqual(TOOL);
    const server = { tools: { get_city: TOOL }, credentials: { api: { bearer: "${secret:x}" } } };
    expect(expectServerConfig("a", server, sourcesOf(), { version: 1 })).toEqual([]);
  });

  test("A form that says little becomes a configuration without empty members", () => {
    const little = { ...EMPTY_TOOL, description: "Pings", url: "https://api.example/ping" };
    expect(toolOfDraft(little)).toEqual({
      description: "Pings",
      request: { method: "GET", url: "https://api.example/ping" },
    });
    const rows = [{ ...EMPTY_ARGUMENT, name: "q" }];
    expect(toolOfDraft({ ...little, rows })).toEqual({
      description: "Pings",
      request: { method: "GET", url: "https://api.example/ping" },
      input: { type: "object", properties: { q: { type: "string" } } },
    });
  });

  test("A configuration fills the form, and what the form does not show is kept", () => {
    const config: HttpToolConfig = {
      ...TOOL,
      limits: { perMinute: 5 },
      scopes: ["a"],
      request: { ...TOOL.request, body: { type: "text/plain" } },
      response: { ...TOOL.response, maxText: 10 },
    };
    const draft = draftOfTool("get_city", config);
    expect(draft.rows).toEqual([
      { name: "city", type: "string", isRequired: true, description: "Its name", place: "" },
      { name: "days", type: "integer", isRequired: false, description: "", place: "query" },
    ]);
    expect(draft).toMatchObject({ name: "get_city", select: "items", as: "auto", status: "draft", schema: "" });
    expect(toolOfDraft(draft)).toEqual(config);
    const changed = toolOfDraft({ ...draft, method: "PUT", url: "https://other.example", rows: [], select: "" });
    expect(changed.request).toEqual({
      method: "PUT",
      url: "https://other.example",
      body: { type: "text/plain" },
      headers: { accept: "text/plain" },
    });
    expect(changed.response).toEqual({ as: "auto", maxText: 10 });
    expect(changed).not.toHaveProperty("input");
  });

  test.each<[string, Partial<HttpToolConfig> & { readonly params?: HttpToolConfig["request"]["params"] }]>([
    ["a limit", { input: { type: "object", properties: { a: { type: "string", maxLength: 3 } } } }],
    ["another type", { input: { type: "object", properties: { a: { type: "array" } } } }],
    ["no type", { input: { type: "object", properties: { a: {} } } }],
    ["a keyword beside the properties", { input: { type: "object", properties: {}, additionalProperties: false } }],
    ["a required argument without a schema", { input: { type: "object", properties: {}, required: ["a"] } }],
    ["a schema that is true", { input: { type: "object", properties: { a: true } } as never }],
    [
      "a description that is no text",
      { input: { type: "object", properties: { a: { type: "string", description: 5 } } } as never },
    ],
    ["properties that are none", { input: { type: "object", properties: null } as never }],
    ["a type that is no object", { input: { type: "string" } as never }],
    ["a required that is no list", { input: { type: "object", properties: {}, required: "a" } as never }],
    [
      "a place with a name",
      {
        input: { type: "object", properties: { a: { type: "string" } } },
        params: { a: { in: "query", name: "b" } },
      },
    ],
    ["a place of an unknown argument", { params: { a: "query" } }],
  ])("Arguments with %s are written as JSON Schema, and nothing of them is lost", (_, { params, ...others }) => {
    const request = { method: "GET" as const, url: "https://api.example", ...(params === undefined ? {} : { params }) };
    const config: HttpToolConfig = { description: "x", request, ...others };
    const draft = draftOfTool("t", config);
    expect(draft.rows).toBeUndefined();
    expect(toolOfDraft(draft)).toEqual({ input: {}, ...config });
  });

  test("Any tool of rows is the same after the form", () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
    const row = fc.record({
      name,
      type: fc.constantFrom("string", "integer", "number", "boolean"),
      isRequired: fc.boolean(),
      description: fc.constantFrom("", "Says more"),
      place: fc.constantFrom("", "path", "query", "header", "cookie", "body"),
    } as const);
    fc.assert(
      fc.property(fc.uniqueArray(row, { selector: (each) => each.name, maxLength: 5 }), (rows) => {
        const draft = { ...EMPTY_TOOL, description: "x", url: "https://api.example", rows };
        const again = draftOfTool("", toolOfDraft(draft));
        expect(again.rows).toEqual(rows);
        expect(toolOfDraft(again)).toEqual(toolOfDraft(draft));
      }),
    );
  });

  test("Arguments that the URL names get rows, required, once, and after those that are there", () => {
    const rows = [{ ...EMPTY_ARGUMENT, name: "days" }];
    const url = "https://api.example/{days}/{city}/{city}?x=${env:HOST}&y={a.b-c}";
    expect(withArgumentsOfUrl(rows, url, "")).toEqual([
      ...rows,
      { ...EMPTY_ARGUMENT, name: "city", isRequired: true },
      { ...EMPTY_ARGUMENT, name: "a.b-c", isRequired: true },
    ]);
  });

  test("The methods and places that can be chosen are those that the configuration knows", () => {
    const { $defs } = readConfigSchema() as unknown as {
      $defs: { tool: { properties: { request: { properties: { method: { enum: string[] } } } } }; param: unknown };
    };
    expect([...METHODS].toSorted()).toEqual($defs.tool.properties.request.properties.method.enum.toSorted());
    for (const place of PLACES) expect(JSON.stringify($defs.param)).toContain(place === "" ? "" : `"${place}"`);
  });

  test("A URL that is typed leaves no rows behind, and keeps those that somebody has filled in", () => {
    const typed = ["{c}", "{ci}", "{cit}", "{city}", "{city}/{day}"];
    let rows = withArgumentsOfUrl([], "", "");
    typed.forEach((url, index) => (rows = withArgumentsOfUrl(rows, url, typed[index - 1] ?? "")));
    expect(rows.map(({ name }) => name)).toEqual(["city", "day"]);
    const described = rows.map((row) => (row.name === "city" ? { ...row, description: "Its name" } : row));
    expect(withArgumentsOfUrl(described, "", "{city}/{day}").map(({ name }) => name)).toEqual(["city"]);
    expect(withArgumentsOfUrl(rows, "{other}", "{else}").map(({ name }) => name)).toEqual(["city", "day", "other"]);
  });

  test("Rows can be taken on as JSON Schema", () => {
    expect(JSON.parse(writeSchema(FILLED.rows ?? []))).toEqual(TOOL.input);
    expect(JSON.parse(writeSchema([]))).toEqual({ type: "object", properties: {} });
    expect(writeSchema([])).toContain("\n  ");
  });
});

describe("another MCP server", () => {
  const filled: UpstreamDraft = {
    ...EMPTY_UPSTREAM,
    name: "docs",
    url: " https://docs.example/mcp ",
    headers: [{ name: "x-team", value: "a" }],
    login: "token",
    token: "typed",
    prefix: " docs ",
    isPinned: true,
  };

  test("A URL with a token refers to the secret under which the token is sealed", () => {
    expect(upstreamOfDraft(filled, "a-docs")).toEqual({
      url: "https://docs.example/mcp",
      headers: { "x-team": "a" },
      auth: { bearer: "${secret:a-docs}" },
      prefix: "docs",
      pin: true,
    });
    expect(JSON.stringify(upstreamOfDraft(filled, "a-docs"))).not.toContain("typed");
  });

  test("Each login becomes its configuration, and is read back", () => {
    const logins = ["none", "each", "shared"] as const;
    const auths = logins.map((login) => upstreamOfDraft({ ...filled, login }, "s").auth);
    expect(auths).toEqual([undefined, { oauth: {} }, { oauth: { shared: true } }]);
    expect(auths.map((auth) => draftOfUpstream("x", { url: "https://x", ...(auth && { auth }) }).login)).toEqual(
      logins,
    );
    expect(draftOfUpstream("x", { url: "https://x", auth: { bearer: "${secret:a}" } }).login).toBe("token");
  });

  test("A token that is set stays until another one is typed", () => {
    const config: UpstreamConfig = { url: "https://x", auth: { bearer: "${secret:old}" } };
    const draft = draftOfUpstream("x", config);
    expect(draft.token).toBe("");
    expect(upstreamOfDraft(draft, "new")).toEqual(config);
    expect(upstreamOfDraft({ ...draft, token: "t" }, "new").auth).toEqual({ bearer: "${secret:new}" });
    const other = draftOfUpstream("x", { url: "https://x", auth: { oauth: {} } });
    expect(upstreamOfDraft({ ...other, login: "token" }, "new").auth).toEqual({ bearer: "${secret:new}" });
  });

  test.each<UpstreamConfig>([
    { url: "https://x", auth: { oauth: { scopes: ["a"] } } },
    { url: "https://x", auth: { clientCredentials: { id: "a", issuer: "https://i", secret: "[secret]" } } },
    { url: "https://x", timeout: "5s", perUser: true, tools: { exclude: ["a"] } },
    { command: "npx", args: ["-y", "a b"], env: { ROOT: "x" }, cwd: "/srv" },
    { command: "run" },
  ])("%j is the same after the form, which does not show all of it", (config) => {
    const draft = draftOfUpstream("x", config);
    expect(draft.kind).toBe(config.command === undefined ? "url" : "program");
    if (config.auth !== undefined) expect(draft.login).toBe("kept");
    expect(upstreamOfDraft(draft, "s")).toEqual(config);
  });

  test("A program has one argument in each line, and neither URL nor login", () => {
    const draft = { ...filled, kind: "program" as const, command: " npx ", args: "-y\nsome server\n\n" };
    expect(upstreamOfDraft({ ...draft, env: [{ name: "A", value: "b" }] }, "s")).toEqual({
      command: "npx",
      args: ["-y", "some server"],
      env: { A: "b" },
      prefix: "docs",
      pin: true,
    });
  });

  test("A secret is named after its server and upstream, and not longer than names may be", () => {
    expect(secretNameOf("crm", "docs")).toBe("crm-docs");
    expect(secretNameOf("a".repeat(64), "b".repeat(80))).toHaveLength(128);
  });
});

describe("rows of names and texts", () => {
  test("They become an object and come back; those without a name are left out", () => {
    expect(pairsOf({ a: "1", b: "2" })).toEqual([
      { name: "a", value: "1" },
      { name: "b", value: "2" },
    ]);
    expect(pairsOf(undefined)).toEqual([]);
    expect(
      textsOf([
        { name: " a ", value: " 1 " },
        { name: "", value: "x" },
      ]),
    ).toEqual({ a: " 1 " });
    expect(textsOf([{ name: " ", value: "x" }])).toBeUndefined();
  });

  test("A name that is there twice is found, whatever is around it", () => {
    expect(findTwice([{ name: "a" }, { name: "b" }, { name: " a " }])).toBe("a");
    expect(findTwice([{ name: "a" }, { name: "" }, { name: " " }])).toBeUndefined();
  });
});

const EXISTING: Target = { kind: "existing", server: { slug: "a b", revision: 7 } };
const NEW: Target = { kind: "new", slug: "notes", title: " Notes " };

describe("writing a definition", () => {
  async function save(
    ...given: Parameters<typeof saveDefinition> extends [infer T, infer D, unknown] ? [T, D] : never
  ) {
    const sent: unknown[] = [];
    await saveDefinition(given[0], given[1], (async (...request: unknown[]) => {
      sent.push(request);
    }) as never);
    return sent;
  }

  test("On a server that is there, it names the revision that was read", async () => {
    const config = { url: "https://x" };
    expect(await save(EXISTING, { part: "upstreams", name: "d/c", config })).toEqual([
      ["PUT", "servers/a%20b/upstreams/d%2Fc", config, { revision: 7 }],
    ]);
    expect(slugOf(EXISTING)).toBe("a b");
  });

  test("A new server is made with it, and with its title if there is one", async () => {
    expect(await save(NEW, { part: "tools", name: "t", config: { a: 1 } })).toEqual([
      ["PUT", "servers/notes", { title: "Notes", tools: { t: { a: 1 } } }],
    ]);
    expect(await save({ ...NEW, title: " " } as Target, { part: "tools", name: "t", config: {} })).toEqual([
      ["PUT", "servers/notes", { tools: { t: {} } }],
    ]);
    expect(slugOf(NEW)).toBe("notes");
  });

  test("A secret is sealed after the server has taken the definition, and not if it was refused", async () => {
    const definition = {
      part: "upstreams",
      name: "d",
      config: {},
      secret: { name: "a/d", value: "v" },
    } as const;
    expect((await save(EXISTING, definition))[1]).toEqual(["PUT", "secrets/a%2Fd", { value: "v" }]);
    const sent: unknown[] = [];
    const refuse = (async (...request: unknown[]) => {
      sent.push(request);
      throw new Error("no");
    }) as never;
    await expect(saveDefinition(EXISTING, definition, refuse)).rejects.toThrow("no");
    expect(sent).toHaveLength(1);
  });

  test("A slug and a name that are taken are found before anything is overwritten", () => {
    const taken = { slugs: ["notes"], names: ["list"] };
    expect(findConflict(NEW, "tools", "list", taken)).toContain("a server notes already");
    expect(findConflict({ ...NEW, slug: "other" } as Target, "tools", "list", taken)).toBeUndefined();
    expect(findConflict(EXISTING, "tools", "list", taken)).toContain("a tool list already");
    expect(findConflict(EXISTING, "upstreams", "list", taken)).toContain("an upstream list already");
    expect(findConflict(EXISTING, "tools", "other", taken)).toBeUndefined();
  });
});

describe("reading a form", () => {
  test("A form becomes a definition under its name without blanks", () => {
    expect(readToolForm({ ...FILLED, name: " get_city " }, EXISTING, undefined)).toEqual({
      part: "tools",
      name: "get_city",
      config: TOOL,
    });
    const upstream = { ...EMPTY_UPSTREAM, name: " d ", url: "https://x" };
    expect(readUpstreamForm(upstream, EXISTING, undefined)).toEqual({
      part: "upstreams",
      name: "d",
      config: { url: "https://x" },
    });
  });

  test("Only a token that was typed, for a URL, is sealed", () => {
    const draft: UpstreamDraft = { ...EMPTY_UPSTREAM, name: "d", url: "https://x", login: "token", token: "t" };
    expect(readUpstreamForm(draft, NEW, undefined).secret).toEqual({ name: "notes-d", value: "t" });
    for (const other of [{ token: "" }, { login: "each" }, { kind: "program" }] as const) {
      expect(readUpstreamForm({ ...draft, ...other }, NEW, undefined)).not.toHaveProperty("secret");
    }
  });

  test("What cannot be sent is a sentence", () => {
    const taken = { slugs: ["notes"], names: [] };
    expect(() => readToolForm(FILLED, NEW, taken)).toThrow("There is a server notes already.");
    expect(() => readUpstreamForm({ ...EMPTY_UPSTREAM, name: "d" }, NEW, taken)).toThrow("There is a server notes");
    const twice = [
      { name: "a", value: "1" },
      { name: "a", value: "2" },
    ];
    expect(() => readToolForm({ ...FILLED, headers: twice }, NEW, undefined)).toThrow("Two headers are called a.");
    const rows = [EMPTY_ARGUMENT, EMPTY_ARGUMENT].map((row) => ({ ...row, name: "q" }));
    expect(() => readToolForm({ ...FILLED, rows }, NEW, undefined)).toThrow("Two arguments are called q.");
    expect(() => readUpstreamForm({ ...EMPTY_UPSTREAM, headers: twice }, NEW, undefined)).toThrow("Two headers");
    expect(() => readUpstreamForm({ ...EMPTY_UPSTREAM, env: twice }, NEW, undefined)).toThrow("Two variables");
    const schema = { ...FILLED, rows: undefined, schema: "{" };
    expect(() => readToolForm(schema, NEW, undefined)).toThrow(/^The arguments are not JSON: /);
  });
});

describe("what the gateway says is wrong", () => {
  const base = ["servers", "a", "tools", "t"];

  test("A problem is at its field, the first of each, and all are in the list with their places", () => {
    const placed = placeProblems(
      [
        { path: [...base, "request", "url"], message: "no URL" },
        { path: [...base, "request", "url"], message: "second" },
        { path: [...base, "input", "required", 0], message: "no text" },
        { path: ["servers", "a", "title"], message: "elsewhere" },
        { path: base, message: "as a whole" },
      ],
      base,
    );
    expect([...placed.byField]).toEqual([
      ["request.url", "no URL"],
      ["input.required[0]", "no text"],
      ["", "as a whole"],
    ]);
    expect(placed.all.map(({ place, message }) => `${place}: ${message}`)).toEqual([
      "servers.a.tools.t.request.url: no URL",
      "servers.a.tools.t.request.url: second",
      "servers.a.tools.t.input.required[0]: no text",
      "servers.a.title: elsewhere",
      "servers.a.tools.t: as a whole",
    ]);
    expect([NO_PROBLEMS.all, NO_PROBLEMS.byField.size]).toEqual([[], 0]);
  });
});
