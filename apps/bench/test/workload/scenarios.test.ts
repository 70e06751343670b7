import { expect, test } from "vitest";
import { clientScenarios } from "../../src/workload/client-scenarios.ts";
import { serverScenarios } from "../../src/workload/server-scenarios.ts";

test("every scenario has an id of its own", () => {
  const ids = [...serverScenarios(), ...clientScenarios()].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test("every target belongs to a scenario", () => {
  expect(serverScenarios().filter(({ target }) => target !== undefined)).toHaveLength(21);
  expect(clientScenarios().filter(({ target }) => target !== undefined)).toHaveLength(8);
});
