import { connect } from "@toolwire/client";
import { createServer, type ServerMiddleware, type ToolDefinition, ToolError } from "@toolwire/server";
import { serveInMemory } from "@toolwire/server/memory";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createHttpCaller } from "../../src/caller/guarded-caller.ts";
import { apiKey, bearer } from "../../src/credentials/kinds.ts";
import type { Auth } from "../../src/credentials/auth.ts";
import { httpTool } from "../../src/tool/http-tool.ts";
import { operationOf } from "../../src/tool/operation-tool.ts";
import type { HttpToolOptions } from "../../src/tool/options.ts";
import { answerJson, type SeenRequest, startApi, type TestApi } from "../test-api.ts";

const http = createHttpCaller({ network: { allow: ["localhost"] }, onDiagnostic: () => {} });
let api: TestApi;

beforeAll(async () => {
  api = await startApi((response, { url }) => {
    const [, status] = /status=(\d+)/.exec(url) ?? [];
    answerJson(response, { message: "as asked", items: [{ id: 1, name: "a" }] }, Number(status ?? 200));
  });
});
afterAll(async () => {
  await http.close();
  await api[Symbol.asyncDispose]();
});

const CITY = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};

/** Calls a tool through a server and a client. Returns the result, and the request that the API got, if it got one. */
async function call(
  definition: ToolDefinition,
  args: object = {},
): Promise<{ result: unknown; seen: SeenRequest | undefined }> {
  const before = api.seen.length;
  const server = createServer({ name: "test", version: "1", tools: { call_api: definition } });
  await using client = await connect(serveInMemory(server));
  const { content, isError, structuredContent } = await client.callTool(
    "call_api",
    args as never,
    { throwOnError: false } as never,
  );
  const [block] = content;
  const text = block?.type === "text" ? block.text : block;
  const result = {
    text,
    ...(isError !== undefined && { isError }),
    ...(structuredContent !== undefined && { structuredContent }),
  };
  return { result, seen: api.seen[before] };
}

function toolWith(rest: { readonly url?: string; readonly [option: string]: unknown }): ToolDefinition {
  const url = `${api.origin}${rest.url ?? "/x"}`;
  return httpTool({ description: "Calls the API", method: "GET", http, ...rest, url } as never) as ToolDefinition;
}

describe("httpTool()", () => {
  it("puts arguments into the URL, and all others of a GET into the query", async () => {
    const input = z.object({
      city: z.string(),
      units: z.enum(["metric", "imperial"]).optional(),
      days: z.array(z.number()).optional(),
    });
    const { result, seen } = await call(toolWith({ url: "/weather/{city}?format=j1", input }), {
      city: "New York",
      days: [1, 2],
    });
    expect(seen?.url).toBe("/weather/New%20York?format=j1&days=1&days=2");
    expect(result).toEqual({ text: '{"message":"as asked","items":[{"id":1,"name":"a"}]}' });
  });

  it("puts arguments of a POST into a JSON body", async () => {
    const input = z.object({ id: z.string(), email: z.string(), name: z.string().nullable() });
    const { seen } = await call(toolWith({ method: "POST", url: "/customers/{id}", input }), {
      id: "7",
      email: "a@b",
      name: null,
    });
    expect(seen).toMatchObject({ method: "POST", url: "/customers/7", body: '{"email":"a@b","name":null}' });
    expect(seen?.headers["content-type"]).toBe("application/json");
  });

  it("follows `params`, with other names, styles and pointers", async () => {
    const properties = { a: {}, b: { type: "array" }, c: {}, d: {}, e: {}, f: {} };
    const params = {
      a: { in: "path", name: "id" },
      b: { in: "query", name: "filter[b]", explode: false },
      c: { in: "header", name: "X-C" },
      d: "cookie",
      e: { in: "body", pointer: "/customer/e~1mail" },
      f: "body",
    } as const;
    const { seen } = await call(
      toolWith({ method: "PATCH", url: "/{id}", input: { type: "object", properties }, params }),
      {
        a: 1,
        b: [1, 2],
        c: "x",
        d: "y",
        e: "z",
        f: 2,
      },
    );
    expect(seen).toMatchObject({
      method: "PATCH",
      url: "/1?filter%5Bb%5D=1,2",
      body: '{"customer":{"e/mail":"z"},"f":2}',
    });
    expect(seen?.headers).toMatchObject({ "x-c": "x", cookie: "d=y" });
  });

  it("sends forms, one argument as the whole body, and files", async () => {
    const input = { type: "object", properties: { a: {}, b: {} } };
    const form = await call(toolWith({ method: "POST", input, body: { type: "application/x-www-form-urlencoded" } }), {
      a: "x y",
      b: [1, 2],
    });
    expect(form.seen?.body).toBe("a=x+y&b=1&b=2");
    const whole = await call(toolWith({ method: "PUT", input, params: { a: "query" }, body: { argument: "b" } }), {
      a: 1,
      b: [1],
    });
    expect(whole.seen).toMatchObject({ url: "/x?a=1", body: "[1]" });
    const text = await call(
      toolWith({ method: "POST", input, params: { a: "query" }, body: { type: "text/csv", argument: "b" } }),
      { b: "1,2" },
    );
    expect(text.seen?.body).toBe("1,2");
    const octets = { type: "application/pdf", argument: "b" };
    const file = await call(toolWith({ method: "POST", input, params: { a: "query" }, body: octets }), {
      b: { text: "%PDF" },
    });
    expect(file.seen?.body).toBe("%PDF");
  });

  it("refuses bad arguments before anything is sent", async () => {
    const definition = toolWith({ url: "/{city}", input: CITY });
    for (const args of [{}, { city: 1 }, { city: "x", more: 1 }, { city: ".." }, { city: "a/b" }]) {
      const { result, seen } = await call(definition, args);
      expect(result).toMatchObject({ isError: true });
      expect(seen).toBeUndefined();
    }
  });

  it("finds arguments behind references and in the branches of unions", async () => {
    const referring = { $ref: "#/$defs/Input", $defs: { Input: { type: "object", properties: { a: {} } } } };
    expect((await call(toolWith({ input: referring }), { a: 1 })).seen?.url).toBe("/x?a=1");
    const union = z.union([z.object({ a: z.number() }), z.object({ b: z.number() })]);
    expect((await call(toolWith({ input: union }), { b: 2 })).seen?.url).toBe("/x?b=2");
  });

  it("makes errors of the API results that the model reads", async () => {
    const { result } = await call(toolWith({ url: "/x?status=404" }));
    expect(result).toEqual({ text: "Error: Upstream API returned 404 - as asked", isError: true });
  });

  it("adds the credential last, whatever arguments and fixed headers say", async () => {
    const input = { type: "object", properties: { key: {}, token: {} } };
    const definition = toolWith({
      input,
      params: { key: "query", token: { in: "header", name: "X-Token" } },
      headers: { "X-Key": "fixed" },
      auth: apiKey({ name: "X-Token", value: "real" }),
    });
    const { seen } = await call(definition, { key: "k", token: "of the model" });
    expect(seen?.headers).toMatchObject({ "x-token": "real", "x-key": "fixed" });
  });

  it("looks up the credential of the caller", async () => {
    const definition = toolWith({
      auth: bearer(({ principal }) => (principal === undefined ? undefined : `token-of-${principal}`)),
    });
    const server = createServer({ name: "test", version: "1", tools: { call_api: definition } });
    await using client = await connect(serveInMemory(server, { principal: { id: "alice" } } as never));
    await client.callTool("call_api", {});
    expect(api.seen.at(-1)?.headers.authorization).toBe("Bearer token-of-alice");
    const { result, seen } = await call(definition);
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining("There is no credential of yours") });
    expect(seen).toBeUndefined();
  });

  it("tries once more with another credential if the API refuses the first", async () => {
    let calls = 0;
    let renewals = 0;
    await using refusing = await startApi((response) => answerJson(response, {}, (calls += 1) === 1 ? 401 : 200));
    const auth: Auth = {
      kind: "test",
      apply(request) {
        request.headers["authorization"] = `Bearer ${renewals}`;
      },
      renew: () => (renewals += 1) > 0,
    };
    const definition = httpTool({ description: "x", method: "POST", url: `${refusing.origin}/`, auth, http });
    expect((await call(definition as ToolDefinition)).result).toEqual({ text: "{}" });
    expect(refusing.seen.map(({ headers }) => headers.authorization)).toEqual(["Bearer 0", "Bearer 1"]);
    calls = 0;
    const always: Auth = { ...auth, renew: () => false };
    expect(
      (
        await call(
          httpTool({
            description: "x",
            method: "POST",
            url: `${refusing.origin}/`,
            auth: always,
            http,
          }) as ToolDefinition,
        )
      ).result,
    ).toMatchObject({
      isError: true,
    });
  });

  it("selects parts of the response, also those that the model chooses", async () => {
    expect((await call(toolWith({ response: { select: "items[].name" } }))).result).toEqual({ text: '["a"]' });
    for (const input of [CITY, z.object({ city: z.string() }), undefined]) {
      const args = input === undefined ? {} : { city: "x" };
      const definition = toolWith({ input, response: { fields: true } });
      const { result, seen } = await call(definition, { ...args, _fields: ["items.id"] });
      expect(result).toEqual({ text: '{"items":[{"id":1}]}' });
      expect(seen?.url).toBe(input === undefined ? "/x" : "/x?city=x");
      expect((await call(definition, { ...args, _fields: "items" })).result).toMatchObject({ isError: true });
      expect((await call(definition, args)).result).toEqual({
        text: '{"message":"as asked","items":[{"id":1,"name":"a"}]}',
      });
    }
  });

  it("lets the author make the content, of successful responses only", async () => {
    const transform: NonNullable<HttpToolOptions<undefined>["response"]>["transform"] = (response) => {
      const { message } = response.json() as { message: string };
      return [
        message.toUpperCase(),
        `${response.status} ${response.headers["content-type"]} ${response.text.length} ${response.body.length}`,
      ];
    };
    expect((await call(toolWith({ response: { transform } }))).result).toEqual({ text: "AS ASKED" });
    expect((await call(toolWith({ url: "/x?status=500", response: { transform } }))).result).toEqual({
      text: "Error: Upstream API returned 500 - as asked",
      isError: true,
    });
  });

  it("parses JSON in a text where the schema wants an object or a list, before it validates", async () => {
    const input = z.object({
      list: z.array(z.number()),
      filter: z.object({ a: z.number() }).optional(),
      note: z.string().optional(),
    });
    const definition = toolWith({ method: "POST", input });
    expect((await call(definition, { list: "[1,2]", filter: ' {"a":1}', note: "[3]" })).seen?.body).toBe(
      '{"list":[1,2],"filter":{"a":1},"note":"[3]"}',
    );
    const { result, seen } = await call(definition, { list: "[1,", filter: "[1]" });
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining("list") });
    expect(seen).toBeUndefined();
  });

  it("is an ordinary tool, with middleware and annotations", async () => {
    const seen: string[] = [];
    const definition = toolWith({
      method: "DELETE",
      title: "Delete",
      annotations: { destructiveHint: false },
      middleware: [
        ((request, next) => {
          seen.push(request.method);
          return next();
        }) satisfies ServerMiddleware,
      ],
    });
    expect(definition.annotations).toEqual({ idempotentHint: true, destructiveHint: false, openWorldHint: true });
    expect(definition.title).toBe("Delete");
    await call(definition);
    expect(seen).toEqual(["tools/call"]);
    expect(operationOf(definition)?.limits).toEqual({ timeout: 30_000, maxBytes: 1_048_576, retries: 0 });
    expect(operationOf(toolWith({}))?.limits.retries).toBe(2);
  });

  it("uses a caller that all tools share if none is given, which reaches public addresses only", async () => {
    const definition = httpTool({ description: "x", method: "GET", url: `${api.origin}/` });
    const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
    const { result, seen } = await call(definition as ToolDefinition);
    expect(result).toEqual({ text: "Error: Upstream API address is not allowed", isError: true });
    expect(seen).toBeUndefined();
    expect((await warned).message).toContain('allow it: network: { allow: ["localhost"] }');
  });
});

describe("options of httpTool()", () => {
  const GET = { description: "x", method: "GET", url: "https://api.example.com/{city}", input: CITY } as const;

  it.each([
    [{ ...GET, description: "" }, "`description` must be text for the model"],
    [
      { ...GET, method: "FETCH" },
      '`method` must be "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD" or "OPTIONS"; got "FETCH".',
    ],
    [{ ...GET, method: undefined }, "`method` must be a method such as GET"],
    [{ ...GET, url: "/x" }, '`url` must begin with https:// or http:// and a host; got "/x".'],
    [{ ...GET, url: "https://{city}.example.com/" }, "No argument can be a part of the host"],
    [{ ...GET, url: "https://api.example.com/{town}" }, '"{town}" in `url` names no argument: add "town" to `input`.'],
    [
      { ...GET, params: { town: "query" } },
      '`params` names "town", which `input` does not have: its arguments are city.',
    ],
    [{ ...GET, params: { city: "query" } }, '"{city}" in `url` names no argument'],
    [
      { ...GET, url: "https://api.example.com/", params: { city: "path" } },
      'The argument for the path "city" has no place in `url`',
    ],
    [{ ...GET, params: { city: "place" } }, '`params.city.in` must be "path", "query", "header", "cookie" or "body"'],
    [
      { ...GET, params: { city: { in: "path", styl: "label" } } },
      "params.city has no option `styl`. Did you mean `style`?",
    ],
    [
      { ...GET, url: "https://api.example.com/", body: { argument: "city" } },
      'A GET request has no body: send "city" in the query.',
    ],
    [
      { ...GET, method: "POST", url: "https://api.example.com/", body: { type: "text/plain" } },
      'A body of the type "text/plain" is one argument',
    ],
    [
      { ...GET, method: "POST", url: "https://api.example.com/", params: { city: { in: "body", pointer: "x" } } },
      'The pointer of "city" must be like',
    ],
    [{ ...GET, run: () => "" }, "httpTool() has no `run`, because it calls an API"],
    [{ ...GET, inputSchema: {} }, "`inputSchema` is called `input` in httpTool()"],
    [{ ...GET, uri: "x" }, "httpTool() has no option `uri`. Did you mean `url`?"],
    [{ ...GET, auth: "secret-token" }, "`auth` must be made by bearer()"],
    [{ ...GET, http: fetch }, "`http` must be made by createHttpCaller()"],
    [{ ...GET, timeout: 0 }, "`timeout` must be"],
    [{ ...GET, retries: -1 }, "`retries` must be"],
    [{ ...GET, response: { select: "[" } }, "`response.select` is no JMESPath expression"],
    [{ ...GET, response: { transform: 1 } }, "`response.transform` must be a function"],
    [{ ...GET, headers: { Host: "x" } }, "belongs to the connection"],
    [{ ...GET, middleware: [1] }, "`middleware` must be an array of functions"],
  ])("are checked at once, with a hint: %#", (options, message) => {
    expect(() => httpTool(options as never)).toThrow(message);
    expect(() => httpTool(options as never)).not.toThrow("secret-token");
  });

  it("are checked against several bodies in one place", () => {
    const input = { type: "object", properties: { a: {}, b: {} } };
    expect(() =>
      httpTool({ description: "x", method: "POST", url: "https://h/", input, body: { argument: "a" } }),
    ).toThrow('"a" is the whole body, so "b" cannot be in the body, too: give it another place in `params`.');
  });

  it("throw errors for the author, not for the model", () => {
    expect(() => httpTool({ ...GET, url: "x" })).not.toThrow(ToolError);
  });
});
