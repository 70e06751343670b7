import { describe, expect, test } from "vitest";
import { servesMethod, type Direction } from "../../src/revisions/methods.ts";
import { REVISIONS, type Revision } from "../../src/revisions/revision.ts";
import { definitionsOf, hasSpec } from "../spec-data.ts";

const UNIONS: { readonly [D in Direction]: readonly string[] } = {
  "client-to-server": ["ClientRequest", "ClientNotification"],
  "server-to-client": ["ServerRequest", "ServerNotification"],
};
const DIRECTIONS = ["client-to-server", "server-to-client"] as const;

/** The methods of a revision by its official schema. Tasks, an experiment of 2025-11-25, are not ours. */
function officialMethods(revision: Revision, direction: Direction): string[] {
  const definitions = definitionsOf(revision);
  return UNIONS[direction]
    .flatMap((name) => {
      const union = definitions[name];
      return union === undefined ? [] : (union.anyOf ?? [union]);
    })
    .map(({ $ref, properties }) => {
      const message = $ref === undefined ? properties : definitions[$ref.split("/").at(-1)!]?.properties;
      return message!["method"]!.const as string;
    })
    .filter((method) => !method.includes("tasks/"));
}

describe("the methods of a revision", () => {
  const cases = REVISIONS.flatMap((revision) => DIRECTIONS.map((direction) => [revision, direction] as const));

  test.runIf(hasSpec).each(cases)("are those of its schema: %s, %s", (revision, direction) => {
    const everything = new Set(cases.flatMap(([each, way]) => officialMethods(each, way)));
    const served = [...everything].filter((method) => servesMethod(revision, method, direction));
    expect(served.toSorted()).toEqual([...new Set(officialMethods(revision, direction))].toSorted());
  });

  test("come from the peer, who may call them anything", () => {
    for (const method of ["__proto__", "constructor", "toString", "hasOwnProperty", ""]) {
      expect(servesMethod("2026-07-28", method, "client-to-server")).toBe(false);
    }
  });

  test("differ by direction and era", () => {
    expect(servesMethod("2026-07-28", "server/discover", "client-to-server")).toBe(true);
    expect(servesMethod("2025-11-25", "server/discover", "client-to-server")).toBe(false);
    expect(servesMethod("2025-11-25", "elicitation/create", "server-to-client")).toBe(true);
    expect(servesMethod("2025-11-25", "elicitation/create", "client-to-server")).toBe(false);
    expect(servesMethod("2026-07-28", "elicitation/create", "server-to-client")).toBe(false);
    expect(servesMethod("2025-03-26", "elicitation/create", "server-to-client")).toBe(false);
  });
});
