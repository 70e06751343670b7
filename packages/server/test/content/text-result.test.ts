import { encodeMessage } from "@toolwire/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findSingleText, SingleTextResult, prepareSignature } from "../../src/content/text-result.ts";

describe("SingleTextResult", () => {
  it("is the same object, and the same JSON, as a result written out", () => {
    const fields = { resultType: "complete", _meta: { from: "here" } };
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.boolean(), (text, isSigned) => {
        const plain = { content: [{ type: "text", text }], ...(isSigned && fields) };
        const lone = new SingleTextResult({ type: "text", text }, prepareSignature(isSigned ? fields : undefined));
        expect(Object.assign({}, lone)).toEqual(plain);
        expect(encodeMessage({ jsonrpc: "2.0", id: 1, result: lone })).toBe(
          encodeMessage({ jsonrpc: "2.0", id: 1, result: plain }),
        );
      }),
    );
  });
});

describe("findSingleText", () => {
  it("finds the block of a result with nothing else", () => {
    const block = { type: "text", text: "hi" };
    expect(findSingleText({ content: [block] })).toBe(block);
  });

  it.each([
    ["no content", {}],
    ["an empty content", { content: [] }],
    [
      "two blocks",
      {
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    ],
    ["another kind of block", { content: [{ type: "image", data: "", mimeType: "image/png" }] }],
    ["a block that says more", { content: [{ type: "text", text: "a", annotations: {} }] }],
    ["an error", { content: [{ type: "text", text: "a" }], isError: true }],
    ["structured content", { content: [{ type: "text", text: "a" }], structuredContent: {} }],
    ["metadata", { content: [{ type: "text", text: "a" }], _meta: {} }],
  ])("leaves %s alone", (_, result) => {
    expect(findSingleText(result)).toBeUndefined();
  });
});
