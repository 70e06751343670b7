import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { isFile } from "../../../src/transports/stdio/command.ts";

async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "toolwire-files-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

it("isFile() tells files from directories and from nothing", async () => {
  const directory = await makeDirectory();
  const file = join(directory, "file");
  await writeFile(file, "");
  await symlink(file, join(directory, "link"));
  expect(isFile(file)).toBe(true);
  expect(isFile(join(directory, "link"))).toBe(true);
  expect(isFile(directory)).toBe(false);
  expect(isFile(join(directory, "nothing"))).toBe(false);
  expect(isFile(join(file, "below"))).toBe(false);
  expect(isFile("null\0byte")).toBe(false);
});

it("isFile() counts links that cannot be followed, as those to programs of the Microsoft Store", async () => {
  const link = join(await makeDirectory(), "python.exe");
  // One that leads to itself fails like those: not as missing, but as out of reach.
  await symlink(link, link);
  expect(isFile(link)).toBe(true);
});
