import fc from "fast-check";
import { expect, test } from "vitest";
import { type Offer, OfferTable } from "../../src/offers/offer-table.ts";
import { variantName } from "../../src/text/names.ts";

interface Source {
  readonly name: string;
}

const SOURCES: readonly Source[] = ["first", "second", "third"].map((name) => ({ name }));

/** A server that keeps what is put into it, and has a tool of its own. */
function openTable(...own: string[]): {
  table: OfferTable<Source, string>;
  server: Map<string, string>;
  problems: string[];
} {
  const server = new Map(own.map((name) => [name, "of the server itself"]));
  const problems: string[] = [];
  const table = new OfferTable<Source, string>({
    kind: "tool",
    sources: SOURCES,
    target: {
      add(name, item) {
        if (server.has(name)) throw new Error("The name is taken.");
        server.set(name, item);
      },
      remove: (name) => void server.delete(name),
    },
    report: ({ name }, problem) => problems.push(`${name}: ${problem}`),
  });
  return { table, server, problems };
}

/** Offers by name, in one form or another. */
function offersOf(source: Source, forms: { readonly [name: string]: string }): Offer<string>[] {
  return Object.entries(forms).map(([name, form]) => ({
    name,
    fingerprint: form,
    make: () => `${form} of ${source.name}`,
  }));
}

const [FIRST, SECOND] = SOURCES as [Source, Source];

test("the first source that offers something has its name, whatever was there before", () => {
  const { table, server, problems } = openTable();
  const [one, other] = [{}, {}];
  table.set(SECOND, other, offersOf(SECOND, { pay: "x", steal: "x" }));
  expect(Object.fromEntries(server)).toEqual({ pay: "x of second", steal: "x of second" });
  table.set(FIRST, one, offersOf(FIRST, { pay: "x" }));
  expect(Object.fromEntries(server)).toEqual({ pay: "x of first", steal: "x of second" });
  expect(problems).toEqual([
    'second: The tool "pay" is not offered: the upstream first comes first and has it already. ' +
      "Give second a `prefix`, or exclude one of them.",
  ]);
  expect(table.problemsOf(SECOND)).toHaveLength(1);
  table.set(FIRST, one, []);
  expect(Object.fromEntries(server)).toEqual({ pay: "x of second", steal: "x of second" });
  expect(table.problemsOf(SECOND)).toEqual([]);
});

test("what cannot be put into the server is a problem of its source, and gives way to the next", () => {
  const { table, server } = openTable("own");
  table.set(FIRST, {}, offersOf(FIRST, { own: "x" }));
  table.set(SECOND, {}, offersOf(SECOND, { own: "x" }));
  expect(Object.fromEntries(server)).toEqual({ own: "of the server itself" });
  expect(table.holderOf("own")).toBeUndefined();
  expect(table.problemsOf(FIRST)).toEqual(['"own" is not offered: The name is taken.']);
  expect([table.countOf(FIRST), table.countOf(SECOND)]).toEqual([0, 0]);
});

test("viewers that are offered different forms under one name have a name for each", () => {
  const { table, server } = openTable();
  const [ada, bob] = [{}, {}];
  table.set(FIRST, ada, offersOf(FIRST, { whoami: "a" }));
  table.set(FIRST, bob, offersOf(FIRST, { whoami: "b" }));
  const variant = variantName("whoami", "b");
  expect([...server.keys()]).toEqual(["whoami", variant]);
  expect(table.holderOf("whoami")?.viewers).toEqual(new Set([ada]));
  expect(table.holderOf(variant)?.viewers).toEqual(new Set([bob]));
  expect([table.seesAll(FIRST, ada), table.seesAll(FIRST, bob)]).toEqual([false, false]);
  // The second keeps its name, also when the first is free.
  table.set(FIRST, ada, []);
  table.set(FIRST, bob, offersOf(FIRST, { whoami: "b" }));
  expect([...server.keys()]).toEqual([variant]);
  expect(table.seesAll(FIRST, bob)).toBe(true);
});

test("in whatever order sources offer and withdraw, names are held as if all had come at once", () => {
  const name = fc.constantFrom("a", "b", "c", "own");
  const change = fc.record({
    source: fc.constantFrom(...SOURCES),
    forms: fc.dictionary(name, fc.constantFrom("x", "y"), { noNullPrototype: true }),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const { table, server } = openTable("own");
      const viewers = new Map(SOURCES.map((source) => [source, {}]));
      const last = new Map<Source, { readonly [name: string]: string }>();
      for (const { source, forms } of changes) {
        last.set(source, forms);
        table.set(source, viewers.get(source)!, offersOf(source, forms));
      }
      const expected = new Map([["own", "of the server itself"]]);
      for (const source of SOURCES) {
        for (const [each, form] of Object.entries(last.get(source) ?? {})) {
          if (!expected.has(each)) expected.set(each, `${form} of ${source.name}`);
        }
      }
      expect(Object.fromEntries(server)).toEqual(Object.fromEntries(expected));
      // Everything that is wanted is in the server, or has a problem that says why not.
      for (const source of SOURCES) {
        const wanted = Object.keys(last.get(source) ?? {}).length;
        expect(table.countOf(source) + table.problemsOf(source).length).toBe(wanted);
      }
    }),
  );
});

test("a viewer finds all that it was offered last, under a name that stands for that form", () => {
  const forms = fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("x", "y", "z"), { noNullPrototype: true });
  const change = fc.record({ viewer: fc.nat({ max: 2 }), forms });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const { table, server } = openTable();
      const viewers = [{}, {}, {}];
      const last = new Map<object, { readonly [name: string]: string }>();
      for (const { viewer, forms: offered } of changes) {
        last.set(viewers[viewer]!, offered);
        table.set(FIRST, viewers[viewer]!, offersOf(FIRST, offered));
      }
      for (const viewer of viewers) {
        const seen = [...server].filter(([name]) => table.holderOf(name)?.viewers.has(viewer)).map(([, item]) => item);
        const wanted = Object.values(last.get(viewer) ?? {}).map((form) => `${form} of first`);
        expect(seen.toSorted()).toEqual(wanted.toSorted());
      }
      // Nothing is left that nobody sees.
      for (const name of server.keys()) expect(table.holderOf(name)?.viewers.size).toBeGreaterThan(0);
    }),
  );
});
