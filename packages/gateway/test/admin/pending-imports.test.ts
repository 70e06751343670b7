import { expect, test } from "vitest";
import { PendingImports } from "../../src/admin/import/pending-imports.ts";

const MINUTE = 60_000;

function start(): { readonly clock: { now: number }; readonly imports: PendingImports; add(slug: string): string } {
  const clock = { now: 1000 };
  const imports = new PendingImports(() => clock.now);
  const add = (slug: string): string =>
    imports.add({ slug, document: "{}", title: slug, candidates: [], schemes: [] }).id;
  return { clock, imports, add };
}

test("A document is kept for half an hour, for its own server alone, until it is committed", () => {
  const { clock, imports, add } = start();
  const id = add("a");
  expect(imports.find("a", id)).toMatchObject({ slug: "a", expiresAt: 1000 + 30 * MINUTE });
  expect([imports.find("b", id), imports.find("a", "x")]).toEqual([undefined, undefined]);
  clock.now += 30 * MINUTE - 1;
  expect(imports.find("a", id)?.id).toBe(id);
  clock.now += 1;
  expect(imports.find("a", id)).toBeUndefined();
  const other = add("a");
  imports.remove(other);
  expect(imports.find("a", other)).toBeUndefined();
});

test("Eight documents are kept, and the oldest makes room for another", () => {
  const { imports, add } = start();
  const ids = Array.from({ length: 9 }, () => add("a"));
  const kept = ids.filter((id) => imports.find("a", id) !== undefined);
  expect(kept).toEqual(ids.slice(1));
});

test("Documents that have expired make room before any other", () => {
  const { clock, imports, add } = start();
  for (let count = 0; count < 7; count += 1) add("old");
  clock.now += 20 * MINUTE;
  const younger = add("young");
  clock.now += 10 * MINUTE;
  for (let count = 0; count < 7; count += 1) add("new");
  expect(imports.find("young", younger)?.id).toBe(younger);
});
