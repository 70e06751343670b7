import { expect, test } from "vitest";
import { FaultLog } from "../../src/accounts/fault-log.ts";
import type { FaultRecord } from "../../src/accounts/history.ts";

const KILL: FaultRecord = { cell: 0, kind: "kill", from: 1000, to: 1500 };
const CUT: FaultRecord = { cell: 0, kind: "cut", from: 3000, to: 3100 };
const STOP: FaultRecord = { cell: 0, kind: "stop", from: 5000, to: 6000 };

const log = new FaultLog([CUT, STOP, KILL]);

test("the fault log counts faults that end the server, and those that end connections only", () => {
  expect([log.restarts, log.cuts]).toEqual([2, 1]);
});

test.each<[string, number, number, FaultRecord[]]>([
  ["before all faults", 0, 999, []],
  ["at the first moment of one", 0, 1000, [KILL]],
  ["in the middle of one", 1100, 1200, [KILL]],
  ["when the news of one can still be on its way", 1700, 1800, [KILL]],
  ["between two", 2000, 2900, []],
  ["through several", 900, 5500, [STOP, CUT, KILL]],
  ["after all", 7000, 8000, []],
])("a call feels the faults of its time: %s", (_, begun, settled, faults) => {
  expect(log.during(begun, settled)).toEqual(faults);
});
