import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPairs } from "../../src/cli/calling/read-arguments.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { createPaint, wantsColour } from "../../src/cli/serving/paint.ts";
import { wrapHelp } from "../../src/cli/wrap-help.ts";
import { runVerb } from "./run-verb.ts";

describe("help", () => {
  test.each(COMMANDS.map(({ name }) => name))("of %s fits into 80 columns and names every option", async (name) => {
    const { code, printed } = await runVerb([name, "--help"]);
    expect(code).toBe(0);
    expect(printed.split("\n").filter((line) => line.length > 80)).toEqual([]);
    const options = Object.keys(COMMANDS.find((command) => command.name === name)?.options ?? {});
    for (const option of options) expect(printed).toContain(`--${option}`);
  });

  test("lists all commands within 80 columns, and knows what a mistyped one means", async () => {
    const { printed } = await runVerb(["--help"]);
    expect(printed.split("\n").filter((line) => line.length > 80)).toEqual([]);
    for (const { name } of COMMANDS) expect(printed).toContain(`  ${name} `);
    expect(await runVerb(["serv"])).toMatchObject({
      code: 2,
      told: 'There is no command "serv". Did you mean "serve"?',
    });
  });

  test("wrapped, has the same words in the same order, and continues below the description", () => {
    const line = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { maxLength: 40 }).map((words) => words.join(" "));
    fc.assert(
      fc.property(fc.constantFrom("", "  ", "Usage: ", "  --option VALUE      "), line, (head, words) => {
        const wrapped = wrapHelp(head + words);
        expect(wrapped.split(/\s+/).join(" ").trim()).toBe((head + words).split(/\s+/).join(" ").trim());
        for (const each of wrapped.split("\n")) expect(each.length).toBeLessThanOrEqual(80);
      }),
    );
    expect(wrapHelp(`  --a       ${"word ".repeat(20).trim()}`).split("\n")[1]).toMatch(/^ {12}word/);
  });
});

describe("colours", () => {
  test.each([
    [true, {}, true],
    [false, {}, false],
    [true, { TERM: "dumb" }, false],
    [true, { NO_COLOR: "1" }, false],
    [true, { NO_COLOR: "" }, true],
    [true, { NO_COLOR: "1", FORCE_COLOR: "1" }, false],
    [false, { FORCE_COLOR: "1" }, true],
    [true, { FORCE_COLOR: "0" }, false],
    [true, { FORCE_COLOR: "false" }, false],
    [true, { TERM: "dumb", FORCE_COLOR: "1" }, true],
  ])("on a terminal: %s, with %j: %s", (isTerminal, env, expected) => {
    expect(wantsColour(isTerminal, env)).toBe(expected);
    expect(createPaint(expected)("red", "x")).toBe(expected ? "\u001B[31mx\u001B[39m" : "x");
  });
});

describe("arguments of a tool", () => {
  test("written as pairs are read as what the schema says, whatever they are", () => {
    const values = fc.record({
      text: fc.string(),
      number: fc.double({ noNaN: true, noDefaultInfinity: true }),
      integer: fc.integer(),
      flag: fc.boolean(),
      anything: fc.json(),
      list: fc.array(fc.string(), { minLength: 1 }),
      "with.dot": fc.string(),
    });
    const properties = {
      text: { type: "string" },
      number: { type: "number" },
      integer: { type: "integer" },
      flag: { type: "boolean" },
      list: { type: "array", items: { type: "string" } },
      "with.dot": { type: "string" },
    };
    fc.assert(
      fc.property(values, ({ anything, list, ...simple }) => {
        const pairs = [
          ...Object.entries(simple).map(([name, value]) => `${name}=${String(value)}`),
          ...list.map((item) => `list=${item}`),
          `outer.inner:=${anything}`,
        ];
        const expected = { ...simple, list, outer: { inner: JSON.parse(anything) as unknown } };
        expect(readPairs(pairs, { properties })).toEqual({ ...expected, number: Number(String(simple.number)) });
      }),
    );
  });

  test("cannot change the prototype of an object", () => {
    const read = readPairs(["__proto__.x=1", "a=b"], {});
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect(JSON.stringify(read)).toBe('{"__proto__":{"x":1},"a":"b"}');
  });
});
