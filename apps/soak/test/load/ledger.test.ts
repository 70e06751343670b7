import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CallRecord } from "../../src/accounts/history.ts";
import { Ledger, readLedger, type Entry } from "../../src/load/ledger.ts";

let directory: string;
let ledger: Ledger;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "soak-"));
  ledger = new Ledger(join(directory, "ledger.jsonl"));
});

afterEach(() => rmSync(directory, { recursive: true }));

function call(number: number): CallRecord {
  const id = { cell: 0, client: 0, lane: 0, number };
  const counts = { connections: 1, sends: 1, questions: 0, reports: 0 };
  return { id, kind: "quick", begun: 1, settled: 2, outcome: { type: "answered", isRight: true }, ...counts };
}

async function read(): Promise<Entry[]> {
  ledger.flush();
  const entries: Entry[] = [];
  for await (const entry of readLedger(join(directory, "ledger.jsonl"))) entries.push(entry);
  return entries;
}

test("the ledger keeps calls, faults and sightings in their order", async () => {
  const fault = { cell: 0, kind: "kill", from: 1, to: 2 } as const;
  ledger.addCall(call(0));
  ledger.addFault(fault);
  ledger.addSighting(0, "timers-fire", "lane 4");

  expect(await read()).toEqual([
    { call: call(0) },
    { fault },
    { sighting: { cell: 0, promise: "timers-fire", example: "lane 4" } },
  ]);
  expect([ledger.settled, ledger.answered, ledger.sightings]).toEqual([1, 1, 1]);
});

test("a call that settles after the end of all calls counts as one that never did", async () => {
  ledger.addCall(call(0));
  ledger.endCalls();
  ledger.addCall(call(1));

  expect(await read()).toEqual([{ call: call(0) }]);
});
