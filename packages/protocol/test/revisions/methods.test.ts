import { describe, expect, test } from "vitest";
import { servesMethod, type Direction } from "../../src/revisions/methods.ts";
import { REVISIONS, type Revision } from "../../src/revisions/revision.ts";
import { SOURCES, type SchemaSource } from "../spec-data.ts";

const UNIONS: { readonly [D in Direction]: readonly string[] } = {
  "client-to-server": ["ClientRequest", "ClientNotification"],
  "server-to-client": ["ServerRequest", "ServerNotification"],
};
const DIRECTIONS = ["client-to-server", "server-to-client"] as const;

/** The methods that a schema has for a revision. Tasks, an experiment of 2025-11-25, are not ours. */
function methodsBy(source: SchemaSource, revision: Revision, direction: Direction): string[] {
  const definitions = source.definitionsOf(revision);
  return UNIONS[direction]
    .flatMap((name) => source.expand(revision, definitions[name]))
    .map(({ properties }) => properties!["method"]!.const as string)
    .filter((method) => !method.includes("tasks/"));
}

describe("the methods of a revision", () => {
  const cases = REVISIONS.flatMap((revision) => DIRECTIONS.map((direction) => [revision, direction] as const));
  const all = SOURCES.flatMap((source) =>
    cases.map(([revision, direction]) => ({ revision, direction, by: source.name, source })),
  );

  test.each(all)("are those of $by: $revision, $direction", ({ revision, direction, source }) => {
    const everything = new Set(cases.flatMap(([each, way]) => methodsBy(source, each, way)));
    const served = [...everything].filter((method) => servesMethod(revision, method, direction));
    expect(served.toSorted()).toEqual([...new Set(methodsBy(source, revision, direction))].toSorted());
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
