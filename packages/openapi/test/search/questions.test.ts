import { describe, expect, it } from "vitest";
import { hasDocument } from "../corpora/documents.ts";
import { askAll, countWithin, QUESTIONS } from "./questions.ts";

const documents = Object.keys(QUESTIONS);
const missing = documents.filter((document) => !hasDocument(document));
if (missing.length > 0) {
  console.warn(`No questions were asked about ${missing.join(", ")}. Run: npm run fetch:openapi-documents`);
}

/** Questions of the first half hour of a user who had not read the documents. */
const MUST_FIND: { readonly [document: string]: readonly string[] } = {
  github: [
    "create an issue",
    "list my pull requests",
    "close issue",
    "delete branch",
    "who reviewed this PR",
    "add label",
    "merge pull request",
    "star a repo",
    "latest release",
  ],
  stripe: ["create customer", "refund a payment", "cancel subscription"],
};

describe.skipIf(missing.length > 0)("questions about real APIs", () => {
  const all: number[] = [];

  it.each(documents)("that everybody asks about %s are answered among the first five", async (document) => {
    const places = await askAll(document);
    all.push(...places.values());
    const lost = (MUST_FIND[document] ?? []).filter((query) => countWithin([places.get(query) ?? 0], 5) === 0);
    expect(lost).toEqual([]);
  });

  it("are answered by the first tool in eight of ten cases, and by one of the first five in nine", () => {
    expect(all).toHaveLength(Object.values(QUESTIONS).flat().length);
    expect(countWithin(all, 1) / all.length).toBeGreaterThanOrEqual(0.8);
    expect(countWithin(all, 5) / all.length).toBeGreaterThanOrEqual(0.9);
  });
});

it("has at least forty questions, each about one document and with an answer", () => {
  const all = Object.values(QUESTIONS).flat();
  expect(all.length).toBeGreaterThanOrEqual(40);
  expect(all.every(({ wanted }) => wanted.length > 0)).toBe(true);
});
