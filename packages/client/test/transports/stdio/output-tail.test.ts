import fc from "fast-check";
import { expect, test } from "vitest";
import { OutputTail } from "../../../src/transports/stdio/output-tail.ts";

function tailOf(pieces: readonly string[]): string {
  const tail = new OutputTail();
  for (const piece of pieces) tail.add(piece);
  return tail.text;
}

test("keeps the last lines whole, however the output is cut", () => {
  const line = fc.string({ unit: fc.constantFrom("a", "b", " "), maxLength: 3000 });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), fc.array(fc.nat(30_000), { maxLength: 20 }), (lines, cuts) => {
      const output = lines.join("\n");
      const edges = [0, ...cuts.filter((cut) => cut < output.length).toSorted((a, b) => a - b), output.length];
      const pieces = edges.slice(1).map((edge, index) => output.slice(edges[index], edge));
      const starts = [0, ...Array.from(output.matchAll(/\n/g), ({ index }) => index + 1)];
      const first = starts.find((start) => start >= output.length - 4096);
      const expected = first === undefined ? "" : output.slice(first);
      expect(tailOf(pieces)).toBe(expected);
    }),
  );
});

test("leaves a line out whose beginning is gone, in whatever pieces it comes", () => {
  const secret = "sk-0123456789";
  for (const size of [1, 7, 4096, 10_000]) {
    const output = `${secret}${"x".repeat(4090)}\nnext`;
    const pieces = Array.from({ length: Math.ceil(output.length / size) }, (_, index) =>
      output.slice(index * size, (index + 1) * size),
    );
    expect(tailOf(pieces), `in pieces of ${size}`).toBe("next");
  }
  expect(tailOf(["x".repeat(5000), "end of a long line", "\n"])).toBe("");
});
