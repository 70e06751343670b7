import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dropLinks, splitSentences } from "../../src/schema/sentences.ts";
import { textsOf } from "../../src/schema/texts.ts";

const lean = textsOf();

describe("lean texts", () => {
  it.each([
    ["links", 'Set [the *key*](https://x.example/a "Key") now', "Set the *key* now"],
    ["links by reference", "Set [the key][1] now\n\n[1]: https://x.example", "Set the key now"],
    ["images", "![Logo](https://x.example/l.png) A logo", "A logo"],
    ["bare targets", "See <https://x.example/a>", "See"],
    ["quotations", "> [!NOTE]\n> Mind this", "Mind this"],
    ["tags of HTML", 'Use <a href="https://x.example">this</a>', "Use this"],
    ["sentences about links", 'Adds it. For more information, see "[Adding](https://x.example)."', "Adds it."],
  ])("have no %s", (_, text, expected) => {
    expect(lean.ofSchema(text)).toBe(expected);
  });

  it("keep brackets, lists and placeholders that are no links", () => {
    for (const text of ["Use a[0] and b[x](y z)", "One of [a, b]. Use <owner>/<repo>.", "f(x) [optional]"]) {
      expect(lean.ofSchema(text)).toBe(text);
    }
  });

  it("end after a sentence if one fits, and at a word if none does", () => {
    const sentence = `Here ${"word ".repeat(20).trim()}. `;
    expect(lean.ofSchema(sentence.repeat(5))).toBe(sentence.trim());
    const long = lean.ofSchema("word ".repeat(100));
    expect(long.length).toBeLessThanOrEqual(200);
    expect(long).toMatch(/ word…$/);
  });

  it("say a title once", () => {
    expect(lean.ofTool("Create an issue", "Create an issue.\n\nAny user can do this.")).toBe("Any user can do this.");
    expect(lean.ofTool("Create an issue", "Creates the issue. Any user can.")).toBe("Creates the issue. Any user can.");
    // Many clients show models no titles.
    expect(lean.ofTool("Create an issue", "Create issue.")).toBe("Create an issue");
    expect(lean.ofTool("Create an issue", "")).toBe("Create an issue");
    expect(textsOf("full").ofTool("Create an issue", "Any user can.")).toBe("Create an issue\n\nAny user can.");
  });

  it("leave out of a schema what only repeats its name", () => {
    expect(lean.ofNamed("startDate", { type: "string", title: "Start Date" })).toEqual({ type: "string" });
    expect(lean.ofNamed("name", { type: "string", description: "The name." })).toEqual({ type: "string" });
    const schema = { title: "Day", description: "The first day" };
    expect(lean.ofNamed("startDate", schema)).toBe(schema);
    expect(lean.ofNamed("x", true)).toBe(true);
    const repeating = { title: "Name" };
    expect(textsOf("full").ofNamed("name", repeating)).toBe(repeating);
  });
});

describe("sentences", () => {
  it("end at marks that end them, and not at abbreviations and numbers", () => {
    expect(splitSentences('Use it, e.g. Here. It is 1.5 times "big." So? Yes.\n\nnew')).toEqual([
      "Use it, e.g. Here. ",
      'It is 1.5 times "big." ',
      "So? ",
      "Yes.\n\n",
      "new",
    ]);
  });

  it("are the whole text, whatever it is", () => {
    const pieces = fc.array(fc.constantFrom("a", "B", ". ", ".", "e.g. ", "\n\n", '" ', "!?", "[x](", ")"), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(
        fc.oneof(
          pieces.map((each) => each.join("")),
          fc.string(),
        ),
        (text) => {
          expect(splitSentences(text).join("")).toBe(text);
          expect(dropLinks(text).length).toBeLessThanOrEqual(text.length);
          expect(lean.ofSchema(text).length).toBeLessThanOrEqual(200);
          expect(lean.ofTool("", text).length).toBeLessThanOrEqual(500);
        },
      ),
    );
  });
});
