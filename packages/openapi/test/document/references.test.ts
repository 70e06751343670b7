import { describe, expect, it } from "vitest";
import { References } from "../../src/document/references.ts";

function follow(root: object, reference: string, others?: { [reference: string]: unknown }, url?: string): unknown {
  const references = new References(root as { [key: string]: unknown }, url, others);
  const found = references.follow({ value: { $ref: reference }, document: references.main });
  return found.problem ?? found.value;
}

describe("following references", () => {
  const root = { a: { "b/c": [{ "d~e": 1 }], "x y": 2 }, chain: { $ref: "#/a/x y" } };

  it("follows JSON pointers with escapes, indexes and percent-encoding", () => {
    expect(follow(root, "#/a/b~1c/0/d~0e")).toBe(1);
    expect(follow(root, "#/a/x%20y")).toBe(2);
    expect(follow(root, "#/chain")).toBe(2);
    expect(follow(root, "#")).toBe(root);
  });

  it("says of a reference to nowhere where it leads", () => {
    expect(follow(root, "#/a/nope")).toBe('"#/a/nope" leads nowhere');
    expect(follow(root, "#anchor")).toBe('"#anchor" leads nowhere');
    expect(follow(root, "#/%E0%A4%A")).toMatch(/leads nowhere/);
    expect(follow(root, "#/constructor")).toBe('"#/constructor" leads nowhere');
    expect(follow(root, "#/__proto__")).toBe('"#/__proto__" leads nowhere');
  });

  it("looks for other documents only among those that were passed along", () => {
    const others = { "./types/pet.yaml": "name: { $ref: 'part.yaml#/text' }", "types/part.yaml": { text: "found" } };
    expect(follow(root, "./types/pet.yaml#/name", others)).toBe("found");
    expect(follow(root, "types/pet.yaml#/name", others)).toBe("found");
    expect(follow(root, "other.yaml#/x", others)).toMatch(/not fetched: pass it in `documents`/);
    expect(follow(root, "http://127.0.0.1:1/x.json")).toMatch(/not fetched: pass it in `documents`/);
    expect(follow(root, "file:///etc/passwd")).toMatch(/not fetched: pass it in `documents`/);
  });

  it("resolves names of other documents against the URL of the document", () => {
    const others = { "https://api.example.com/specs/pet.json": { a: 7 } };
    expect(follow(root, "../specs/pet.json#/a", others, "https://api.example.com/docs/openapi.json")).toBe(7);
  });

  it("stops in circles and long chains", () => {
    const circle = { a: { $ref: "#/b" }, b: { $ref: "#/a" } };
    expect(follow(circle, "#/a")).toMatch(/leads to a circle, or through more than 100 references/);
    const chain = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`n${index}`, index === 9_999 ? 1 : { $ref: `#/n${index + 1}` }]),
    );
    expect(follow(chain, "#/n0")).toMatch(/more than 100 references/);
    expect(follow(chain, "#/n9950")).toBe(1);
  });
});
