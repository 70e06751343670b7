import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readJournal } from "../../src/load/journal.ts";

const MODULE = fileURLToPath(new URL("../../src/load/journal.ts", import.meta.url));

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "journal-"));
});

afterEach(() => rmSync(directory, { recursive: true }));

test("the entries that processes have written are there though each was killed with the next instruction", () => {
  const path = join(directory, "journal");
  const program = `
    import { Journal } from ${JSON.stringify(MODULE)};
    const journal = new Journal(${JSON.stringify(path)});
    journal.execute("0.0.0." + process.argv[1]);
    journal.complain("two\\nlines");
    process.kill(process.pid, "SIGKILL");
    for (;;);`;
  const signals = ["1", "2"].map((argument) => {
    const args = ["--import", "tsx", "--input-type=module", "-e", program, argument];
    return spawnSync(process.execPath, args, { stdio: "inherit" }).signal;
  });
  const { executed, pids, complaints } = readJournal(path);

  expect(signals).toEqual(["SIGKILL", "SIGKILL"]);
  expect(executed).toEqual(["0.0.0.1", "0.0.0.2"]);
  expect(pids).toHaveLength(2);
  expect(complaints).toEqual(["two | lines", "two | lines"]);
});
