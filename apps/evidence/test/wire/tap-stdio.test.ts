import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readRecordings } from "../../src/wire/recording.ts";

const program = fileURLToPath(new URL("../../src/wire/tap-stdio.ts", import.meta.url));
const echo = 'process.stdin.on("data", (chunk) => process.stdout.write("> " + chunk)).on("end", () => process.exit(3))';

test("the tap of stdio passes everything on, notes it, and exits as the program does", async () => {
  const directory = mkdtempSync(join(tmpdir(), "toolwire-"));
  const child = spawn(process.execPath, ["--import", "tsx", program, directory, process.execPath, "-e", echo], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end("hello\n");
  const [answer, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  const recordings = readRecordings(directory);
  rmSync(directory, { recursive: true });

  expect(answer).toBe("> hello\n");
  expect(code).toBe(3);
  expect(recordings.map(({ toServer, toClient }) => [toServer.toString(), toClient.toString()])).toEqual([
    ["hello\n", "> hello\n"],
  ]);
});
