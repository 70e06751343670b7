import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect, textOf } from "@toolwire/client";
import { oauth } from "@toolwire/client/auth";
import { fileStore } from "@toolwire/client/auth/node";
import { build } from "esbuild";
import { afterEach, beforeAll, expect, test } from "vitest";
import type { Operation } from "./lab/racing-writer.ts";
import { type IdentityProvider, type IdentityProviderOptions, startProvider } from "./lab/identity-provider.ts";
import { startProtectedServer } from "./lab/protected-server.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

// Inside of the package, so that its dependencies are found.
const programOf = (name: string): string =>
  fileURLToPath(new URL(`../../node_modules/.cache/${name}.mjs`, import.meta.url));
const program = programOf("sharing-client");
const writer = programOf("racing-writer");

beforeAll(async () => {
  const sources = [
    [new URL("lab/sharing-client.ts", import.meta.url), program],
    [new URL("lab/racing-writer.ts", import.meta.url), writer],
  ] as const;
  for (const [source, outfile] of sources) {
    await build({
      entryPoints: [fileURLToPath(source)],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      conditions: ["@toolwire/source"],
      packages: "bundle",
      external: ["undici", "ws"],
      logLevel: "warning",
    });
  }
});

/** A provider, a server, and a directory in which a user has logged in. */
async function lab(options: IdentityProviderOptions) {
  const idp = await startProvider(options);
  cleanups.push(() => idp.close());
  const rs = await startProtectedServer({ providers: [idp] });
  cleanups.push(() => rs.close());
  const directory = await mkdtemp(join(tmpdir(), "auth-"));
  cleanups.push(() => rm(directory, { recursive: true, force: true }));
  let logins = 0;
  const authorize = (url: URL): Promise<string> => {
    logins += 1;
    return idp.logIn(url);
  };
  const login = { redirectUri: "http://127.0.0.1:33418/callback", authorize };
  const callOnce = async (): Promise<string> => {
    const store = fileStore({ directory });
    const client = await connect(rs.url, { auth: oauth({ client: { name: "sharing" }, login, store }) });
    try {
      return textOf(await client.callTool("whoami"));
    } finally {
      await client.close();
    }
  };
  expect(await callOnce()).toBe("alice");
  return { idp, rs, directory, callOnce, logins: () => logins };
}

/** Starts a process that uses the store, or a command that does so. Everything that it prints is collected. */
function start(
  url: string,
  directory: string,
  printed: string[],
  [command, ...args]: readonly [string, ...string[]] = [process.execPath],
): ChildProcess {
  const child = spawn(command, [...args, program, url, directory], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdout?.setEncoding("utf8").on("data", (text: string) => printed.push(...text.trim().split("\n")));
  cleanups.push(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  });
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  child.stdin?.end();
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

/** Checks that no refresh token was used twice: the provider revokes a whole family for that. */
function expectNoReuse(idp: IdentityProvider): void {
  const used = idp.tokenRequests("refresh_token").map(({ body }) => body.get("refresh_token"));
  expect(new Set(used).size).toBe(used.length);
}

const oks = (printed: readonly string[]): number => printed.filter((line) => line === "ok").length;

test("threat 20: 8 processes share a grant that rotates, and nobody is logged out", async () => {
  const { idp, rs, directory, callOnce, logins } = await lab({ lifetime: 2 });
  const printed: string[] = [];
  const children = Array.from({ length: 8 }, () => start(rs.url, directory, printed));
  const before = idp.tokenRequests("refresh_token").length;
  await expect
    .poll(() => idp.tokenRequests("refresh_token").length - before, { interval: 50, timeout: 45_000 })
    .toBeGreaterThanOrEqual(3);
  await Promise.all(children.map(stop));
  expect(printed.filter((line) => line !== "ok")).toEqual([]);
  expect(oks(printed)).toBeGreaterThanOrEqual(8);
  expectNoReuse(idp);
  expect(await callOnce()).toBe("alice");
  expect(logins()).toBe(1);
}, 60_000);

test("threat 20: processes that are killed at random leave the store in order", async () => {
  // A process can be killed after the provider has rotated a token, and before the new one has arrived. Providers let a client
  // use the old one once more for that reason; without that, no client can help it.
  const { idp, rs, directory, callOnce, logins } = await lab({ lifetime: 2, leeway: 10_000 });
  const printed: string[] = [];
  let children = Array.from({ length: 8 }, () => start(rs.url, directory, printed));
  const before = idp.tokenRequests("refresh_token").length;
  const kills = 24;
  for (let kill = 0; kill < kills; kill += 1) {
    const victim = children[Math.floor(Math.random() * children.length)]!;
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 200));
    victim.kill("SIGKILL");
    await once(victim, "exit");
    children = children.map((child) => (child === victim ? start(rs.url, directory, printed) : child));
  }
  // A lock of a process that was killed is free after a lease.
  await expect
    .poll(() => idp.tokenRequests("refresh_token").length - before, { interval: 50, timeout: 60_000 })
    .toBeGreaterThanOrEqual(3);
  const count = oks(printed);
  await expect.poll(() => oks(printed) - count, { interval: 50, timeout: 45_000 }).toBeGreaterThan(5);
  await Promise.all(children.map(stop));
  expect(printed.filter((line) => line !== "ok")).toEqual([]);
  expect(await callOnce()).toBe("alice");
  expect(logins()).toBe(1);
  // What the dead have left is removed by those who read and write after them.
  for (const folder of await readdir(directory)) {
    const left = (await readdir(join(directory, folder))).filter((name) => !/^\d+$/.test(name));
    expect(left.length).toBeLessThan(kills);
  }
}, 150_000);

/** Whether any lock of a store is held. */
async function isLocked(directory: string): Promise<boolean> {
  const locks = (await readdir(directory)).filter((name) => name.endsWith(".lock"));
  const contents = await Promise.all(
    locks.map(async (lock) => {
      const numbers = (await readdir(join(directory, lock))).filter((name) => /^\d+$/.test(name)).map(Number);
      return readFile(join(directory, lock, String(Math.max(...numbers))), "utf8").catch(() => "");
    }),
  );
  return contents.some((content) => content.includes('"holder":"'));
}

const canStop = process.platform !== "win32";

test.runIf(canStop)(
  "a process that is stopped with the lock in its hands does no harm when it goes on",
  async () => {
    const { idp, rs, directory, callOnce, logins } = await lab({ lifetime: 2 });
    const [printed, later]: [string[], string[]] = [[], []];
    let release = (): void => {};
    const isHeld = new Promise<void>((resolve) => {
      idp.outage = async ({ path }) => {
        // The holder of the lock reads the metadata when a token has ended.
        if (!path.startsWith("/.well-known/") || !(await isLocked(directory))) return undefined;
        idp.outage = undefined;
        resolve();
        return new Promise((goOn) => (release = () => goOn(undefined)));
      };
    });
    const stopped = start(rs.url, directory, printed);
    await isHeld;
    stopped.kill("SIGSTOP");
    release();
    const before = idp.tokenRequests("refresh_token").length;
    const other = start(rs.url, directory, later);
    await expect.poll(() => oks(later), { interval: 50, timeout: 60_000 }).toBeGreaterThan(0);
    expect(idp.tokenRequests("refresh_token").length).toBeGreaterThan(before);
    const count = oks(printed);
    stopped.kill("SIGCONT");
    await expect.poll(() => oks(printed), { interval: 50, timeout: 45_000 }).toBeGreaterThan(count + 5);
    await Promise.all([stopped, other].map(stop));
    expect([...printed, ...later].filter((line) => line !== "ok")).toEqual([]);
    expectNoReuse(idp);
    expect(await callOnce()).toBe("alice");
    expect(logins()).toBe(1);
  },
  120_000,
);

test.runIf(canStop)(
  "processes that are stopped and go on at random share a grant",
  async () => {
    const { idp, rs, directory, callOnce, logins } = await lab({ lifetime: 2 });
    const printed: string[] = [];
    const children = Array.from({ length: 6 }, () => start(rs.url, directory, printed));
    const before = idp.tokenRequests("refresh_token").length;
    for (let round = 0; round < 60 || idp.tokenRequests("refresh_token").length - before < 3; round += 1) {
      expect(round).toBeLessThan(1000);
      const victim = children[round % children.length]!;
      victim.kill("SIGSTOP");
      await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 150));
      victim.kill("SIGCONT");
    }
    const count = oks(printed);
    await expect.poll(() => oks(printed) - count, { interval: 50, timeout: 45_000 }).toBeGreaterThan(5);
    await Promise.all(children.map(stop));
    expect(printed.filter((line) => line !== "ok")).toEqual([]);
    expectNoReuse(idp);
    expect(await callOnce()).toBe("alice");
    expect(logins()).toBe(1);
  },
  120_000,
);

/** Starts a program in a namespace of process ids of its own, as a container does. */
const CONTAINER = [
  "unshare",
  "--user",
  "--map-current-user",
  "--pid",
  "--fork",
  "--kill-child",
  "--mount-proc",
] as const;
const hasContainers = spawnSync(CONTAINER[0], [...CONTAINER.slice(1), "true"]).status === 0;
if (!hasContainers) {
  console.warn("SKIPPED: processes of several containers. This machine makes no namespaces of process ids.");
}

test.runIf(hasContainers)(
  "processes that do not see each other, as those of several containers, share a grant",
  async () => {
    const { idp, rs, directory, callOnce, logins } = await lab({ lifetime: 2 });
    const printed: string[] = [];
    // Each has another process id, which is that of nobody, or of somebody else, where the others look.
    const children = [1, 3, 5, 7].map((id) => {
      const script = `for i in $(seq ${id}); do true & done; wait; exec 3<&0; "$@" <&3 & wait $!`;
      return start(rs.url, directory, printed, [...CONTAINER, "sh", "-c", script, "sh", process.execPath]);
    });
    const before = idp.tokenRequests("refresh_token").length;
    await expect
      .poll(() => idp.tokenRequests("refresh_token").length - before, { interval: 50, timeout: 45_000 })
      .toBeGreaterThanOrEqual(3);
    await Promise.all(children.map(stop));
    expect(printed.filter((line) => line !== "ok")).toEqual([]);
    expect(oks(printed)).toBeGreaterThanOrEqual(4);
    expectNoReuse(idp);
    expect(await callOnce()).toBe("alice");
    expect(logins()).toBe(1);
  },
  120_000,
);

test("what several processes do to one value of a real disk could have been done one after the other", async () => {
  const directory = await mkdtemp(join(tmpdir(), "auth-"));
  cleanups.push(() => rm(directory, { recursive: true, force: true }));
  const histories = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const child = spawn(process.execPath, [writer, directory, "150"], { stdio: ["ignore", "pipe", "inherit"] });
      let text = "";
      child.stdout.setEncoding("utf8").on("data", (part: string) => (text += part));
      await once(child, "close");
      return JSON.parse(text) as readonly Operation[];
    }),
  );
  const all = histories.flat();
  const writes = all.filter(({ isDone }) => isDone === true);
  // Each value was replaced once, so they form one chain from the first to the last.
  const nextOf = new Map(writes.map((write) => [write.before, write]));
  expect(nextOf.size).toBe(writes.length);
  const places = new Map<string | null, number>([[null, 0]]);
  for (let write = nextOf.get(null); write !== undefined; write = nextOf.get(write.after!)) {
    places.set(write.after!, places.size);
  }
  expect(places.size).toBe(writes.length + 1);
  const placeOf = (id: string | null | undefined): number => places.get(id ?? null)!;
  for (const { kind, begin, end, before, after, isDone } of all) {
    // What was done before it began counts for it, and what began after its end does not.
    const least = Math.max(0, ...writes.filter((write) => write.end < begin).map((write) => placeOf(write.after)));
    const place = placeOf(isDone === true ? after : before);
    if (kind === "read" || isDone === true) expect(place).toBeGreaterThanOrEqual(least);
    const own = writes.find((write) => write.after === before);
    if (own !== undefined) expect(own.begin).toBeLessThanOrEqual(end);
    // A write that was refused has met another one.
    if (isDone === false) expect(nextOf.get(before)?.begin).toBeLessThanOrEqual(end);
  }
  expect(new Set(histories.map((history) => history.some(({ isDone }) => isDone === true)))).toEqual(new Set([true]));
}, 60_000);
