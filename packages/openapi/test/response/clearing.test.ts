import { ToolError } from "@toolwire/server";
import { describe, expect, test } from "vitest";
import { expectResponseOptions, type ResponseOptions } from "../../src/response/options.ts";
import { compileTransform } from "../../src/response/transform.ts";

const SECRET = "canary  of\tan\nAPI-4f1d9a7c";

/** What a caller gets: the result as JSON, or the text of the error. */
function transform(
  body: string | Uint8Array,
  { status = 200, type = "application/json", args = {}, known = undefined as unknown, ...options }: Options = {},
): string {
  const response = {
    status,
    headers: { "content-type": type },
    body: typeof body === "string" ? new TextEncoder().encode(body) : body,
    firstByteMs: 1,
    attempts: 1,
  };
  try {
    return JSON.stringify(
      compileTransform(expectResponseOptions(options))(response as never, args, [SECRET], known).result,
    );
  } catch (error) {
    if (error instanceof ToolError) return error.message;
    throw error;
  }
}

interface Options extends ResponseOptions {
  readonly status?: number;
  readonly type?: string;
  readonly args?: object;
  readonly known?: unknown;
}

describe("an API that repeats its credential", () => {
  test.each([
    ["in JSON", JSON.stringify({ message: `No: ${SECRET}.` }), "application/json"],
    ["in JSON in JSON", JSON.stringify({ message: `No: ${JSON.stringify(SECRET).slice(1, -1)}.` }), "application/json"],
    ["in a text", `No: ${SECRET}.`, "text/plain"],
    ["percent-encoded", JSON.stringify({ message: `No: ${encodeURIComponent(SECRET)}.` }), "application/json"],
  ])("shows it in no error, %s, though white space becomes blanks there", (_, body, type) => {
    expect(transform(body, { status: 400, type })).toBe("Error: Upstream API returned 400 - No: [secret].");
  });

  test("shows no part of it where an error is cut", () => {
    for (let length = 270; length <= 300; length += 1) {
      const text = transform(JSON.stringify({ message: `${"x".repeat(length)}${SECRET}` }), { status: 400 });
      expect(text.replace(/x+/, "x")).toMatch(/^Error: Upstream API returned 400 - x(?:\[?s?e?c?r?e?t?…|\[secret\])$/);
    }
  });

  test("shows no part of it where a body is longer than what is looked at", () => {
    for (const before of [64 * 1024 - 10, 64 * 1024 - 1]) {
      const text = transform(`${" ".repeat(before)}${SECRET}`, { status: 400, type: "text/plain" });
      expect(text).not.toContain("canary");
    }
  });

  test("shows no part of it where a result is shortened", () => {
    const text = transform(`${"x".repeat(20)}${SECRET}`, { type: "text/plain", maxText: 25 });
    expect(text).toContain(`${"x".repeat(20)}[secr`);
    expect(text).not.toContain("can");
  });

  test("shows it in no result: not in the text, a selection, chosen members, or as structured content", () => {
    const body = JSON.stringify({ a: { key: SECRET, other: 1 } });
    expect(transform(body)).toContain("[secret]");
    for (const options of [{}, { select: "a.key" }, { fields: true, args: { _fields: ["a.key"] } }, { output: true }]) {
      expect(transform(body, options)).toContain("[secret]");
      expect(transform(body, options)).not.toContain("canary");
    }
    const encoded = JSON.stringify({ key: `\u0000${JSON.stringify(encodeURIComponent(SECRET))}` });
    expect(transform(encoded, { output: true })).not.toContain("canary");
  });

  test("shows it in no binary data", () => {
    const bytes = Buffer.concat([Buffer.from([0x89, 0x50, 0, 1]), Buffer.from(SECRET), Buffer.from([0])]);
    expect(JSON.parse(transform(bytes, { type: "image/png", as: "auto" }))).toEqual({
      content: [{ type: "text", text: "[secret] Binary data is left out here, because it contains a credential." }],
    });
    const harmless = bytes.subarray(0, 12);
    expect(transform(harmless, { type: "image/png", as: "auto" })).toContain('"image/png"');
  });
});

test("a secret that the caller has sent is repeated like any other argument", () => {
  const body = JSON.stringify({ message: `Not found: ${SECRET}` });
  const shown = "Error: Upstream API returned 404 - Not found: canary of an API-4f1d9a7c";
  expect(transform(body, { status: 404, args: { city: SECRET } })).toBe(shown);
  expect(transform(body, { status: 404, args: { city: encodeURIComponent(SECRET) } })).toBe(shown);
  expect(transform(body, { status: 404, known: { "x-city": SECRET } })).toBe(shown);
  expect(transform(body, { args: { city: SECRET } })).toContain("canary");
  expect(transform(body, { status: 404, args: { city: SECRET.slice(1) } })).toContain("[secret]");
});
