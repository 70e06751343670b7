import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ArgumentWish, nameArguments, nameTools, type Nameable } from "../../src/import/names.ts";

const LEGAL_TOOL = /^[a-zA-Z0-9_.-]{1,56}$/;
const LEGAL_ARGUMENT = /^[a-zA-Z0-9_.-]{1,64}$/;

const named = (path: string, suggestion?: string, chosen?: string): Nameable => ({
  method: "GET",
  path,
  suggestion,
  chosen,
});

describe("names of tools", () => {
  it("are the operation id, or method and path, in legal characters", () => {
    expect(
      nameTools([named("/a", "repos/list-for-user"), named("/users/{id}/repos"), named("/b", "ünï_cödé")]),
    ).toEqual(["repos_list-for-user", "get_users_id_repos", "n__c_d"]);
  });

  it("get a hash if they are too long or wanted twice, and keep their beginning", () => {
    const names = nameTools([named("/a", "same"), named("/b", "same"), named("/c", "x".repeat(80))]);
    const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 6);
    expect(names).toEqual([
      `same_${hash("GET /a")}`,
      `same_${hash("GET /b")}`,
      expect.stringMatching(/^x{49}_[0-9a-f]{6}$/),
    ]);
  });

  it("leave a name to the user who has chosen it", () => {
    expect(nameTools([named("/a", "list"), named("/b", "other", "list")])).toEqual([
      expect.stringMatching(/^list_[0-9a-f]{6}$/),
      "list",
    ]);
  });

  it("are legal, different, and the same in any order and any selection of which they are part", () => {
    const operation = fc.record({
      method: fc.constantFrom("GET", "POST"),
      path: fc.string({ maxLength: 6 }).map((path) => `/${path}`),
      suggestion: fc.option(fc.oneof(fc.string({ maxLength: 70 }), fc.constantFrom("a", "a_b", "a/b", "__proto__")), {
        nil: undefined,
      }),
    });
    const operations = fc.uniqueArray(operation, {
      selector: ({ method, path }) => `${method} ${path}`,
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        operations.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => {
          const names = nameTools(all);
          for (const name of names) expect(name).toMatch(LEGAL_TOOL);
          expect(new Set(names).size).toBe(names.length);
          const again = nameTools(shuffled);
          expect(shuffled.map((each) => names[all.indexOf(each)])).toEqual(again);
        },
      ),
    );
  });
});

describe("names of arguments", () => {
  it.each<[string, [ArgumentWish["place"], string][], string[]]>([
    [
      "stay as they are",
      [
        ["path", "id"],
        ["query", "page.size"],
      ],
      ["id", "page.size"],
    ],
    [
      "stay with the body if others want them",
      [
        ["path", "id"],
        ["query", "id"],
        ["body", "id"],
      ],
      ["id_path", "id_query", "id"],
    ],
    [
      "stay with the path if there is no body",
      [
        ["query", "id"],
        ["path", "id"],
        ["cookie", "id"],
      ],
      ["id_query", "id", "id_cookie"],
    ],
    [
      "become legal",
      [
        ["query", "filter[name]"],
        ["query", "StartTime<"],
        ["header", "X Y"],
      ],
      ["filter_name", "StartTime", "X_Y"],
    ],
    [
      "give way to names that were legal before",
      [
        ["query", "a[b]"],
        ["query", "a_b"],
      ],
      ["a_b_query", "a_b"],
    ],
    [
      "get further underscores",
      [
        ["query", "a[b]"],
        ["query", "a_b"],
        ["query", "a_b_query"],
      ],
      ["a_b_query_", "a_b", "a_b_query"],
    ],
    [
      "are made up if nothing is left of them",
      [
        ["query", "名前"],
        ["query", "[]"],
      ],
      ["unnamed_query", "unnamed"],
    ],
  ])("%s", (_, wishes, names) => {
    expect(nameArguments(wishes.map(([place, name]) => ({ place, name })))).toEqual(names);
  });

  it("are legal, different, and the same in any order", () => {
    const wish = fc.record<ArgumentWish>({
      place: fc.constantFrom("body", "path", "query", "header", "cookie"),
      name: fc.oneof(
        fc.string({ maxLength: 80 }),
        fc.constantFrom("a", "a_query", "a[]", "[a]", "__proto__", "x".repeat(64), "x".repeat(65)),
      ),
    });
    const wishes = fc.uniqueArray(wish, { selector: ({ place, name }) => `${place} ${name}`, maxLength: 15 });
    fc.assert(
      fc.property(
        wishes.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => {
          const names = nameArguments(all);
          for (const name of names) expect(name).toMatch(LEGAL_ARGUMENT);
          expect(new Set(names).size).toBe(names.length);
          expect(nameArguments(shuffled)).toEqual(shuffled.map((each) => names[all.indexOf(each)]));
        },
      ),
    );
  });
});
