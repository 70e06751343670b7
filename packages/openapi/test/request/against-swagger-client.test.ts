/**
 * The same parameters, written by us and by swagger-client, which is behind Swagger UI. Where the two differ on purpose, the
 * difference is listed in DEVIATIONS with its reason, and is tested as well.
 */
import { createRequire } from "node:module";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ParameterSpec } from "../../src/request/request-spec.ts";
import { resolve, textOf } from "./resolve.ts";

type Parameter = Pick<ParameterSpec, "in" | "style" | "explode">;

interface Built {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly body?: unknown;
}

/** The library has no types. */
const { buildRequest } = createRequire(import.meta.url)("swagger-client") as { buildRequest(options: object): Built };

/** Lets swagger-client write one parameter called `color`. */
function writeTheirs(parameter: Parameter, value: unknown, more: object = {}): string {
  const type = Array.isArray(value) ? "array" : typeof value;
  const declared = { name: "color", required: true, schema: { type }, ...parameter, ...more };
  const operation = { operationId: "op", parameters: [declared], responses: { 200: { description: "ok" } } };
  const built = buildRequest({
    spec: documentOf(parameter.in === "path" ? "/{color}" : "/x", "get", operation),
    operationId: "op",
    parameters: { color: value },
  });
  if (parameter.in === "header") return built.headers["color"] ?? "";
  if (parameter.in === "cookie") return built.headers["Cookie"] ?? "";
  return built.url.slice("https://api.example.com".length);
}

function documentOf(path: string, method: string, operation: object): object {
  return {
    openapi: "3.0.3",
    info: { title: "x", version: "1" },
    servers: [{ url: "https://api.example.com" }],
    paths: { [path]: { [method]: operation } },
  };
}

function writeOurs(parameter: Parameter, value: unknown, more: object = {}): string {
  const spec: ParameterSpec = { argument: ["color"], name: "color", ...parameter, ...more };
  const { path, headers } = resolve(
    { path: parameter.in === "path" ? "/{color}" : "/x", parameters: [spec] },
    { color: value },
  );
  if (parameter.in === "header") return headers["color"] ?? "";
  return parameter.in === "cookie" ? (headers["cookie"] ?? "") : path;
}

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
/** Values of a path that both write: ours refuses separators and dots. */
const safeText = text.filter((value) => !/[/\\]/.test(value) && !/^[.\s]*$/.test(value));
const headerText = fc.stringMatching(/^[\w !#$%&'*+.;=-]{1,12}$/);
const number = fc
  .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .map((each) => (Object.is(each, -0) ? 0 : each));
const name = fc.stringMatching(/^[A-Za-z][\w-]{0,8}$/);

function valuesOf(string: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const scalar = fc.oneof(string, number, fc.boolean());
  return fc.oneof(scalar, fc.array(scalar, { minLength: 1, maxLength: 4 }), objectsOf(string));
}

function objectsOf(string: fc.Arbitrary<string>): fc.Arbitrary<object> {
  return fc.dictionary(name, fc.oneof(string, number, fc.boolean()), { minKeys: 1, maxKeys: 4 });
}

/** The combinations in which both must agree on every value. */
const AGREED: [Parameter, fc.Arbitrary<unknown>][] = [
  [{ in: "path", style: "simple", explode: false }, valuesOf(safeText)],
  [{ in: "path", style: "simple", explode: true }, valuesOf(safeText)],
  [{ in: "path", style: "label", explode: true }, valuesOf(safeText)],
  [{ in: "path", style: "matrix", explode: false }, valuesOf(safeText)],
  [{ in: "path", style: "matrix", explode: true }, valuesOf(safeText)],
  [{ in: "query", style: "form", explode: false }, valuesOf(text)],
  [{ in: "query", style: "form", explode: true }, valuesOf(text)],
  [{ in: "query", style: "spaceDelimited", explode: false }, fc.array(fc.oneof(text, number), { minLength: 1 })],
  [{ in: "query", style: "deepObject", explode: true }, objectsOf(text)],
  [{ in: "header", style: "simple", explode: false }, valuesOf(headerText)],
  [{ in: "header", style: "simple", explode: true }, valuesOf(headerText)],
];

describe("our requests and those of swagger-client", () => {
  it.each(AGREED)("agree on every value of %j", (parameter, values) => {
    fc.assert(
      fc.property(values, (value) => {
        expect(writeOurs(parameter, value)).toBe(writeTheirs(parameter, value));
      }),
      { numRuns: 200 },
    );
  });

  it("agree on JSON content in a query", () => {
    fc.assert(
      fc.property(fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 }), (value) => {
        const parameter = { in: "query" } as const;
        const theirs = writeTheirs(parameter, value, { schema: undefined, content: { "application/json": {} } });
        // They leave `!'()*` as they are in JSON, though not in other values.
        const ours = writeOurs(parameter, value, { contentType: "application/json" });
        expect(ours).toBe(theirs.replaceAll(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`));
      }),
    );
  });

  it("agree on JSON bodies", () => {
    fc.assert(
      fc.property(fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 }), (value) => {
        const requestBody = { content: { "application/json": { schema: { type: "object" } } } };
        const operation = { operationId: "op", requestBody, responses: {} };
        const theirs = buildRequest({
          spec: documentOf("/x", "post", operation),
          operationId: "op",
          requestBody: value,
        });
        const body = { contentType: "application/json", format: "json", from: { argument: ["body"] } } as const;
        const ours = resolve({ method: "POST", path: "/x", body }, { body: value });
        expect(textOf(ours)).toBe(JSON.stringify(theirs.body));
        expect(ours.headers["content-type"]).toBe(theirs.headers["Content-Type"]);
      }),
    );
  });
});

describe("our forms and those of swagger-client", () => {
  const type = "application/x-www-form-urlencoded";

  function writeForms(value: object): { ours: string; theirs: string } {
    const operation = {
      operationId: "op",
      requestBody: { content: { [type]: { schema: { type: "object" } } } },
      responses: {},
    };
    const built = buildRequest({ spec: documentOf("/x", "post", operation), operationId: "op", requestBody: value });
    const body = { contentType: type, format: "form", from: { argument: ["body"] } } as const;
    return { ours: textOf(resolve({ method: "POST", path: "/x", body }, { body: value })), theirs: String(built.body) };
  }

  it("agree on fields of simple values, once the spaces are decoded", () => {
    fc.assert(
      fc.property(fc.dictionary(name, fc.oneof(text, number), { minKeys: 1, maxKeys: 4 }), (value) => {
        const { ours, theirs } = writeForms(value);
        expect([...new URLSearchParams(ours)]).toEqual([...new URLSearchParams(theirs)]);
      }),
    );
  });

  it("differ in lists, which they join although the default is to repeat the name", () => {
    expect(writeForms({ a: [1, 2] })).toEqual({ ours: "a=1&a=2", theirs: "a=1,2" });
  });
});

/** Differences that are on purpose: the parameter, a value, what they write, what we write, and why. */
const DEVIATIONS: [why: string, Parameter & object, value: unknown, theirs: string, ours: string, more?: object][] = [
  [
    "OpenAPI 3.0.4 and 3.1.1 have corrected lists with the style label, which have dots only if exploded",
    { in: "path", style: "label", explode: false },
    ["a", "b"],
    "/.a.b",
    "/.a,b",
  ],
  [
    "OpenAPI 3.0.4 and 3.1.1 have corrected objects with the style label, too",
    { in: "path", style: "label", explode: false },
    { R: 1, G: 2 },
    "/.R.1.G.2",
    "/.R,1,G,2",
  ],
  [
    "a raw pipe is not legal in a URL",
    { in: "query", style: "pipeDelimited", explode: false },
    ["a", "b"],
    "/x?color=a|b",
    "/x?color=a%7Cb",
  ],
  [
    "the standard defines objects for the style spaceDelimited",
    { in: "query", style: "spaceDelimited", explode: false },
    { R: 1, G: 2 },
    "/x?color=R,1,G,2",
    "/x?color=R%201%20G%202",
  ],
  [
    "the standard defines objects for the style pipeDelimited",
    { in: "query", style: "pipeDelimited", explode: false },
    { R: 1, G: 2 },
    "/x?color=R,1,G,2",
    "/x?color=R%7C1%7CG%7C2",
  ],
  [
    "the standard leaves lists of deepObject open, and Stripe and Rails want brackets",
    { in: "query", style: "deepObject", explode: true },
    { R: [1, 2] },
    "/x?color%5BR%5D=%5B1%2C2%5D",
    "/x?color%5BR%5D%5B%5D=1&color%5BR%5D%5B%5D=2",
  ],
  [
    "an empty text is a value: `color=` says something else than nothing",
    { in: "query", style: "form", explode: true },
    "",
    "/x",
    "/x?color=",
  ],
  [
    "a comma between items stays as it is, so that it can be told from one inside of an item",
    { in: "cookie", style: "form", explode: false },
    ["a", "b"],
    "color=a%2Cb",
    "color=a,b",
  ],
  [
    "an exploded list is one pair for each item",
    { in: "cookie", style: "form", explode: true },
    ["a", "b"],
    "color=color%3Da%26color%3Db",
    "color=a; color=b",
  ],
  [
    "with allowReserved, characters that begin another parameter or a fragment are still encoded",
    { in: "query", style: "form", explode: true },
    "a#b&c=d+e",
    "/x?color=a#b&c=d+e",
    "/x?color=a%23b%26c%3Dd%2Be",
    { allowReserved: true },
  ],
  [
    "with allowReserved, what is percent-encoded already stays so (RFC 6570, section 3.2.3)",
    { in: "query", style: "form", explode: true },
    "a%20b",
    "/x?color=a%2520b",
    "/x?color=a%20b",
    { allowReserved: true },
  ],
];

describe("differences to swagger-client", () => {
  it.each(DEVIATIONS)("%s", (_, parameter, value, theirs, ours, more = {}) => {
    expect(writeTheirs(parameter, value, more)).toBe(theirs);
    expect(writeOurs(parameter, value, more)).toBe(ours);
  });
});
