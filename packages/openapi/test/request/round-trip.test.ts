/** Our requests over a real socket to express-openapi-validator, which parses them by the same document. Values must come back. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type Request, type Response } from "express";
import * as OpenApiValidator from "express-openapi-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHttpCaller } from "../../src/caller/guarded-caller.ts";
import { compileRequest } from "../../src/request/compile.ts";
import type { BodySpec, ParameterSpec } from "../../src/request/request-spec.ts";

const TEXT = { type: "string" };
const LIST = { type: "array", items: TEXT };
const NUMBERS = { type: "array", items: { type: "integer" } };
const OBJECT = { type: "object", properties: { R: { type: "integer" }, G: TEXT } };

interface Case {
  readonly name: string;
  readonly parameter: Omit<ParameterSpec, "argument" | "name">;
  readonly schema: object;
  readonly values: readonly unknown[];
}

const TEXTS = ["blue", "a b+c", "é€😀", "a&b=c#d", "100%", "a'b\"c", "x;y", "~!*()"];

const CASES: readonly Case[] = [
  { name: "path-simple-text", parameter: { in: "path" }, schema: TEXT, values: TEXTS },
  { name: "path-simple-number", parameter: { in: "path" }, schema: { type: "number" }, values: [0, -1.5, 1e21] },
  { name: "query-form-text", parameter: { in: "query" }, schema: TEXT, values: [...TEXTS, ""] },
  { name: "query-form-boolean", parameter: { in: "query" }, schema: { type: "boolean" }, values: [true, false] },
  { name: "query-form-list", parameter: { in: "query" }, schema: LIST, values: [["a"], ["a b", "c&d", "é"]] },
  { name: "query-form-numbers", parameter: { in: "query", explode: false }, schema: NUMBERS, values: [[1], [1, 2, 3]] },
  { name: "query-csv-list", parameter: { in: "query", explode: false }, schema: LIST, values: [["a", "b c", "é&"]] },
  {
    name: "query-space-list",
    parameter: { in: "query", style: "spaceDelimited", explode: false },
    schema: LIST,
    values: [["a", "b", "c"]],
  },
  {
    name: "query-pipe-list",
    parameter: { in: "query", style: "pipeDelimited", explode: false },
    schema: LIST,
    values: [["a", "b&", "c"]],
  },
  // The validator decodes values of deepObject twice, so this one has neither a plus nor an ampersand.
  {
    name: "query-deep-object",
    parameter: { in: "query", style: "deepObject", explode: true },
    schema: OBJECT,
    values: [{ R: 100, G: "x y é" }],
  },
  { name: "query-form-object", parameter: { in: "query" }, schema: OBJECT, values: [{ R: 1, G: "a=b" }] },
  {
    name: "query-json",
    parameter: { in: "query", contentType: "application/json" },
    schema: OBJECT,
    values: [{ R: 1, G: "a=b&c" }],
  },
  { name: "header-text", parameter: { in: "header" }, schema: TEXT, values: ["blue", "a, b; c=d"] },
  { name: "header-list", parameter: { in: "header", style: "simple" }, schema: LIST, values: [["a", "b c"]] },
  { name: "cookie-text", parameter: { in: "cookie" }, schema: TEXT, values: ["blue", "a b;c=é"] },
];

const FILE = { type: "string", format: "binary" };
const FIELDS = {
  type: "object",
  properties: { a: TEXT, n: { type: "integer" }, list: LIST, flag: { type: "boolean" } },
};

/** The name of the one parameter of each operation. Headers arrive in lower case. */
const NAME = "color";

let server: Server;
let origin: string;
const caller = createHttpCaller({ network: { allow: ["localhost"] } });

beforeAll(async () => {
  const app = express();
  app.use(express.json(), express.urlencoded({ extended: true }), express.text({ type: "text/plain" }));
  app.use(express.raw({ type: "application/octet-stream" }), readCookies);
  app.use(
    OpenApiValidator.middleware({
      apiSpec: documentOfCases() as never,
      validateApiSpec: false,
      validateRequests: { coerceTypes: true, allowUnknownQueryParameters: true },
      validateSecurity: false,
      fileUploader: {},
    }),
  );
  app.all("/{*any}", echo);
  app.use((error: { status?: number; message: string }, _: Request, response: Response, __: () => void) => {
    response.status(error.status ?? 500).json({ message: error.message });
  });
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await caller.close();
  await new Promise((resolve) => server.close(resolve));
});

/** Express reads no cookies by itself. */
function readCookies(request: Request, _: Response, next: () => void): void {
  const pairs = (request.headers.cookie ?? "").split("; ").filter((pair) => pair !== "");
  const cookies = pairs.map((pair) => [
    pair.slice(0, pair.indexOf("=")),
    decodeURIComponent(pair.slice(pair.indexOf("=") + 1)),
  ]);
  (request as { cookies?: unknown }).cookies = Object.fromEntries(cookies);
  next();
}

function echo(request: Request, response: Response): void {
  const { params, query, headers, body, files } = request as Request & {
    openapi?: { pathParams: object };
    cookies?: object;
    files?: object[];
  };
  const { openapi, cookies } = request as { openapi?: { pathParams: object }; cookies?: object };
  const uploaded = (files ?? []).map((file) => {
    const { fieldname, originalname, mimetype, buffer } = file as {
      fieldname: string;
      originalname: string;
      mimetype: string;
      buffer: Buffer;
    };
    return { fieldname, originalname, mimetype, text: buffer.toString("utf8") };
  });
  const content: unknown = Buffer.isBuffer(body) ? body.toString("base64") : body;
  response.json({
    path: openapi?.pathParams ?? params,
    query,
    header: headers,
    cookie: cookies,
    body: content,
    files: uploaded,
  });
}

function documentOfCases(): object {
  const paths: { [path: string]: object } = {};
  for (const { name, parameter, schema } of CASES) {
    const { contentType, ...rest } = parameter;
    const described = contentType === undefined ? { schema } : { content: { [contentType]: { schema } } };
    const declared = { ...rest, ...described, name: NAME, required: parameter.in === "path" };
    const responses = { 200: { description: "ok" } };
    paths[`/${name}${parameter.in === "path" ? `/{${NAME}}` : ""}`] = { get: { parameters: [declared], responses } };
  }
  const bodies = {
    "/body-json": { "application/json": { schema: {} } },
    "/body-form": { "application/x-www-form-urlencoded": { schema: FIELDS } },
    "/body-multipart": {
      "multipart/form-data": {
        schema: { type: "object", properties: { ...FIELDS.properties, file: FILE, photo: FILE } },
      },
    },
    "/body-text": { "text/plain": { schema: TEXT } },
    "/body-octets": { "application/octet-stream": { schema: FILE } },
  };
  for (const [path, content] of Object.entries(bodies)) {
    paths[path] = { post: { requestBody: { content }, responses: { 200: { description: "ok" } } } };
  }
  return { openapi: "3.0.3", info: { title: "x", version: "1" }, servers: [{ url: "/" }], paths };
}

async function send(
  method: "GET" | "POST",
  path: string,
  parameters: ParameterSpec[],
  body: BodySpec | undefined,
  args: object,
) {
  const request = compileRequest({ method, baseUrl: origin, path, parameters, body }).resolve(args);
  const response = await caller.send(request, { timeout: 10_000, maxBytes: 1_000_000, retries: 0 });
  return { status: response.status, echoed: JSON.parse(new TextDecoder().decode(response.body)) };
}

describe("values that make a round trip through another implementation", () => {
  it.each(CASES)("come back from $name as they were", async ({ name, parameter, values }) => {
    for (const value of values) {
      const path = `/${name}${parameter.in === "path" ? `/{${NAME}}` : ""}`;
      const { status, echoed } = await send(
        "GET",
        path,
        [{ ...parameter, argument: ["value"], name: NAME }],
        undefined,
        { value },
      );
      expect(status, JSON.stringify(echoed)).toBe(200);
      expect(echoed[parameter.in][NAME]).toEqual(value);
    }
  });

  it("come back from a JSON body as they were", async () => {
    for (const value of [{ a: null, b: [1, { c: "é" }] }, [1, 2], []]) {
      const body: BodySpec = { contentType: "application/json", format: "json", from: { argument: ["body"] } };
      const { echoed } = await send("POST", "/body-json", [], body, { body: value });
      expect(echoed.body).toEqual(value);
    }
  });

  it("come back from a form as they were", async () => {
    const body: BodySpec = {
      contentType: "application/x-www-form-urlencoded",
      format: "form",
      from: { argument: ["body"] },
    };
    const value = { a: "x y&=é~+", n: 7, list: ["a", "b c"], flag: true };
    const { status, echoed } = await send("POST", "/body-form", [], body, { body: value });
    expect(status, JSON.stringify(echoed)).toBe(200);
    expect(echoed.body).toEqual(value);
  });

  it("come back from a multipart body with files, as multer reads it", async () => {
    const encoding = { file: { isFile: true }, photo: { isFile: true } };
    const body: BodySpec = {
      contentType: "multipart/form-data",
      format: "multipart",
      from: { argument: ["body"] },
      encoding,
    };
    const file = { text: "héllo\r\n--x", filename: "a b.txt", mimeType: "text/plain" };
    const photo = { base64: Buffer.from("PNG").toString("base64"), filename: "p.png", mimeType: "image/png" };
    const { status, echoed } = await send("POST", "/body-multipart", [], body, {
      body: { a: "x y&é", n: 7, file, photo },
    });
    expect(status, JSON.stringify(echoed)).toBe(200);
    expect(echoed.body).toMatchObject({ a: "x y&é", n: 7 });
    expect(echoed.files).toEqual([
      { fieldname: "file", originalname: "a b.txt", mimetype: "text/plain", text: "héllo\r\n--x" },
      { fieldname: "photo", originalname: "p.png", mimetype: "image/png", text: "PNG" },
    ]);
  });

  it("come back from texts and bytes as they were", async () => {
    const text: BodySpec = { contentType: "text/plain", format: "text", from: { argument: ["body"] } };
    expect((await send("POST", "/body-text", [], text, { body: "a\nb é" })).echoed.body).toBe("a\nb é");
    const octets: BodySpec = {
      contentType: "application/octet-stream",
      format: "binary",
      from: { argument: ["body"] },
    };
    expect((await send("POST", "/body-octets", [], octets, { body: { base64: "AP+A" } })).echoed.body).toBe("AP+A");
  });
});
