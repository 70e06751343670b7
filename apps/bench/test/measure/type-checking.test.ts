import { expect, test } from "vitest";
import { readDiagnostics } from "../../src/measure/type-checking.ts";

test("readDiagnostics() reads what the compiler prints about itself", () => {
  const output = [
    "Files:          100",
    "Types:          1234",
    "Instantiations: 56789",
    "Memory used:    2048K",
    "Total time:     0.731s",
  ];
  expect(readDiagnostics(output.join("\n"))).toEqual({
    seconds: 0.731,
    instantiations: 56_789,
    types: 1234,
    memory: 2048 * 1024,
  });
});
