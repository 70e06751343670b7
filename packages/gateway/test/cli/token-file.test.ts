import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findToken, keepToken } from "../../src/cli/token-file.ts";

const URL_OF_ADMIN = "http://127.0.0.1:8081";

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "token-file-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test.each<[string, (folder: string) => Record<string, string>, readonly string[]]>([
  ["XDG_STATE_HOME", (folder) => ({ XDG_STATE_HOME: folder, LOCALAPPDATA: "/nowhere", HOME: "/nowhere" }), []],
  ["LOCALAPPDATA", (folder) => ({ LOCALAPPDATA: folder, HOME: "/nowhere" }), []],
  ["HOME", (folder) => ({ HOME: folder, USERPROFILE: "/nowhere" }), [".local", "state"]],
  ["USERPROFILE", (folder) => ({ USERPROFILE: folder }), [".local", "state"]],
])(
  "The token of a run is kept below the folder that %s names, found there, and removed at the end",
  async (_, envOf, below) => {
    const folder = await makeFolder();
    const env = envOf(folder);
    const remove = await keepToken(URL_OF_ADMIN, "canary-token", env);
    const file = join(folder, ...below, "toolwire", "gateway-8081.token");
    expect(await readFile(file, "utf8")).toBe("canary-token");
    expect(await findToken(URL_OF_ADMIN, env)).toBe("canary-token");
    expect(await findToken("http://localhost:8081/", env)).toBe("canary-token");
    expect(await findToken("http://[::1]:8081/", env)).toBe("canary-token");
    expect(await findToken("http://127.0.0.1:8082", env)).toBeUndefined();
    await remove?.();
    expect(await findToken(URL_OF_ADMIN, env)).toBeUndefined();
  },
);

test("The token of a run is looked for for no gateway on another machine", async () => {
  const env = { HOME: await makeFolder() };
  await keepToken(URL_OF_ADMIN, "canary-token", env);
  for (const host of ["gateway.example", "10.0.0.1", "127.0.0.1.example"]) {
    expect(await findToken(`http://${host}:8081`, env)).toBeUndefined();
  }
});

test("A user without a folder has no token kept, and that is no error", async () => {
  for (const env of [{}, { HOME: undefined }, { XDG_STATE_HOME: "" }]) {
    expect(await keepToken(URL_OF_ADMIN, "canary-token", env)).toBeUndefined();
    expect(await findToken(URL_OF_ADMIN, env)).toBeUndefined();
  }
});

test("A folder that cannot be written keeps no token, and that is no error", async () => {
  const folder = await makeFolder();
  await writeFile(join(folder, "toolwire"), "a file in its place");
  expect(await keepToken(URL_OF_ADMIN, "canary-token", { XDG_STATE_HOME: folder })).toBeUndefined();
});

test.runIf(process.platform !== "win32")(
  "Nobody else can read the token, also where a file was left that others can read",
  async () => {
    const folder = await makeFolder();
    const env = { XDG_STATE_HOME: folder };
    await keepToken(URL_OF_ADMIN, "of an earlier run", env);
    const file = join(folder, "toolwire", "gateway-8081.token");
    await chmod(file, 0o644);
    await keepToken(URL_OF_ADMIN, "canary-token", env);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, "toolwire"))).mode & 0o777).toBe(0o700);
  },
);
