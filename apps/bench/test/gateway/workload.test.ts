import { expect, test } from "vitest";
import { apiConfig, bodyOf, checkResult, TOOL } from "../../src/gateway/workload.ts";

test("responses are JSON of exactly the length that their names promise", () => {
  expect(bodyOf("small")).toHaveLength(100);
  expect(bodyOf("large")).toHaveLength(10_000);
  expect(JSON.parse(bodyOf("large"))).toMatchObject({ size: "large" });
});

test("an answer counts only if it is the body of the response", () => {
  const answer = (text: string, isError?: true): string =>
    JSON.stringify({ id: 1, result: { content: [{ type: "text", text }], isError } });
  checkResult("small", answer(bodyOf("small")));
  expect(() => checkResult("small", answer(bodyOf("large")))).toThrow("Wrong answer");
  expect(() => checkResult("small", answer(bodyOf("small"), true))).toThrow("Wrong answer");
  expect(() => checkResult("small", '{"id":1,"error":{"code":-32603}}')).toThrow("Wrong answer");
});

test("the configuration of a gateway has as many tools as it is asked for, one of which is called", () => {
  const { servers } = apiConfig(1, 1000, "memory", "x") as { servers: { bench: { tools: object } } };
  const names = Object.keys(servers.bench.tools);
  expect(names).toHaveLength(1000);
  expect(names).toContain(TOOL);
});
