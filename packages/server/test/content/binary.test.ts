import fc from "fast-check";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import {
  audio,
  createServer,
  embeddedResource,
  image,
  resource,
  type ServerDiagnostic,
  type ReadContents,
} from "../../src/index.ts";
import { ModernClient } from "../wire-client.ts";

/** Everything that takes bytes or base64, and how its error begins. */
const TAKERS: readonly (readonly [taker: string, take: (data: never) => string])[] = [
  ["image()", (data) => image(data, "image/png").data],
  ["audio()", (data) => audio(data, "audio/wav").data],
  [
    "`blob` of embeddedResource()",
    (data) => (embeddedResource({ uri: "a://b", blob: data }).resource as { blob: string }).blob,
  ],
];

const usageError = (message: string): object =>
  expect.objectContaining({
    name: "UsageError",
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining(message),
  });

describe.each(TAKERS)("%s", (taker, take) => {
  test.each([
    ["a path", "./logo.png", '"./logo.png" looks like a path: read the file first'],
    ["a file name", "logo.png", '"logo.png" looks like a path: read the file first'],
    ["a path of Windows", String.raw`C:\pictures\logo`, "looks like a path: read the file first"],
    ["an absolute path", "/home/me/my logo.png", "looks like a path: read the file first"],
    ["a URL", "https://example.com/logo.png", "looks like a URL: fetch it first"],
    ["a file URL", "file:///home/me/logo.png", "looks like a URL: fetch it first"],
    ["a data URL", "data:image/png;base64,iVBORw0KGgo=", "looks like a data: URL: pass only what follows the comma"],
    ["base64 in lines", "iVBORw0K\nGgo=", "holds white space, which base64 on the wire must not have"],
    ["base64url", "-_8A", 'is base64url: use the alphabet with "+" and "/"'],
    ["base64 that was cut off", "iVBORw0KGg", "has 10 characters, no multiple of 4: its padding is missing"],
    ["padding in the middle", "AQ==AQID", 'has "=" at index 2, where base64 cannot have it'],
    ["too much padding", "A===", 'has "=" at index 1, where base64 cannot have it'],
    ["other text", "Ünïcode", 'has "Ü" at index 0, where base64 cannot have it'],
  ])("refuses %s and says what to do", (_what, data, message) => {
    expect(() => take(data as never)).toThrow(usageError(message));
    expect(() => take(data as never)).toThrow(usageError(`${taker} takes bytes or base64`));
  });

  test.each([
    ["a promise that was not awaited", readFile(import.meta.filename), "is a promise: await it first"],
    ["an array buffer", new ArrayBuffer(3), "is an ArrayBuffer: wrap it, as in new Uint8Array(buffer)"],
    ["a list of numbers", [1, 2, 3], "is an array"],
    ["nothing", undefined, "is undefined"],
    ["null", null, "is null"],
  ])("refuses %s", (_what, data, message) => {
    expect(() => take(data as never)).toThrow(usageError(message));
  });

  test("quotes only the beginning of what it refuses", () => {
    const data = `${"A".repeat(10_000)}!`;
    expect(() => take(data as never)).toThrow(
      expect.objectContaining({ message: expect.not.stringMatching(/A{100}/) }),
    );
  });

  test("takes bytes, and any base64 that was made of bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
        const base64 = Buffer.from(bytes).toString("base64");
        expect(take(bytes as never)).toBe(base64);
        expect(take(Buffer.from(bytes) as never)).toBe(base64);
        expect(take(base64 as never)).toBe(base64);
      }),
    );
  });
});

test("contents of a resource are refused alike, and the operator reads why", async () => {
  const reported: ServerDiagnostic[] = [];
  const contents = (blob: string): ReadContents => ({ blob, mimeType: "image/png" });
  const server = createServer({
    name: "b",
    version: "1",
    onDiagnostic: (event) => reported.push(event),
    resources: {
      good: resource({ uri: "a://good", read: () => contents("AQID") }),
      bad: resource({ uri: "a://bad", read: () => contents("./logo.png") }),
    },
  });
  const client = new ModernClient(server);
  expect(await client.request("resources/read", { uri: "a://good" })).toMatchObject({ contents: [{ blob: "AQID" }] });
  await expect(client.request("resources/read", { uri: "a://bad" })).rejects.toMatchObject({ code: -32603 });
  expect(reported).toMatchObject([
    {
      error: {
        code: "INVALID_ARGUMENT",
        message: expect.stringMatching(/^`blob` of what `read` returned takes bytes or base64.*read the file first/),
      },
    },
  ]);
});
