import { afterEach, describe, expect, test, vi } from "vitest";
import type { HttpOptions } from "../../../src/http.ts";
import type { ServerDiagnostic } from "../../../src/index.ts";
import { from, serveAddressed } from "../../bindings/http/node/serve-from-address.ts";
import { BOTH, Events, initialize, LegacyClient, post, readJson } from "../../bindings/http/client.ts";
import { createFixture } from "../../bindings/http/fixture-server.ts";
import { PLATFORMS, type Target } from "../../bindings/http/platforms.ts";

/** Everybody is who they say they are. */
const named: HttpOptions = { authenticate: ({ header }) => ({ id: header("authorization") ?? "nobody" }) };

const as = (name: string): { authorization: string } => ({ authorization: name });

/** Tries to open so many sessions, and returns how each attempt was answered. */
async function openMany(target: Target, count: number, headers: Record<string, string>): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const response = await target.send(post(initialize(), { accept: BOTH, ...headers }));
    statuses.push(response.status);
    await response.text();
  }
  return statuses;
}

const times = (count: number, status: number): number[] => Array.from({ length: count }, () => status);

afterEach(() => void vi.useRealTimers());

describe.each(PLATFORMS)("sessions of several callers on $name", ({ serve }) => {
  const ping = async (client: LegacyClient, name: string): Promise<number> =>
    (await client.send({ jsonrpc: "2.0", id: 2, method: "ping" }, as(name))).status;

  test("no caller can take more than a tenth of the sessions", async () => {
    const target = await serve({ ...named, legacy: { sessions: { max: 200 } } });
    expect(await openMany(target, 30, as("mallory"))).toEqual([...times(20, 200), ...times(10, 429)]);
    expect(await openMany(target, 1, as("carol"))).toEqual([200]);
  });

  test("a few of them are a caller's own, however few there are in all", async () => {
    const target = await serve({ ...named, legacy: { sessions: { max: 30 } } });
    expect(await openMany(target, 11, as("ada"))).toEqual([...times(10, 200), 429]);
  });

  test("a caller may have as many as the option allows", async () => {
    const target = await serve({ ...named, legacy: { sessions: { max: 30, maxPerClient: 25 } } });
    expect(await openMany(target, 26, as("ada"))).toEqual([...times(25, 200), 429]);
  });

  test("a caller with too many sessions is told when to try again, and the operator is told once", async () => {
    const told: ServerDiagnostic[] = [];
    const fixture = createFixture({ onDiagnostic: (event) => void told.push(event) });
    const target = await serve({ ...named, legacy: { sessions: { maxPerClient: 1 } } }, fixture);
    await LegacyClient.open(target, "2025-11-25", as("ada"));
    const refused = await target.send(post(initialize(), { accept: BOTH, ...as("ada") }));
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(await readJson(refused)).toMatchObject({ id: 1, error: { message: expect.stringContaining("sessions") } });
    await openMany(target, 3, as("ada"));
    expect(told.map(({ message }) => message)).toEqual([expect.stringContaining("`legacy.sessions.maxPerClient`")]);
  });

  test("a session that has ended no longer counts for its caller", async () => {
    const target = await serve({ ...named, legacy: { sessions: { maxPerClient: 1 } } });
    for (let n = 0; n < 3; n += 1) {
      const client = await LegacyClient.open(target, "2025-11-25", as("ada"));
      await target.send({ method: "DELETE", headers: { ...client.headers, ...as("ada") } });
    }
    const failed = { jsonrpc: "2.0", id: 1, method: "initialize", params: {} };
    await target.send(post(failed, { accept: BOTH, ...as("ada") }));
    expect(await openMany(target, 1, as("ada"))).toEqual([200]);
  });

  test("a caller that has all it may have makes room with its own: the one that was quiet longest", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const target = await serve({ ...named, legacy: { sessions: { maxPerClient: 2 } } });
    const bob = await LegacyClient.open(target, "2025-11-25", as("bob"));
    const first = await LegacyClient.open(target, "2025-11-25", as("ada"));
    const second = await LegacyClient.open(target, "2025-11-25", as("ada"));
    vi.advanceTimersByTime(61_000);
    expect(await ping(first, "ada")).toBe(200);
    expect(await openMany(target, 2, as("ada"))).toEqual([200, 429]);
    expect([await ping(first, "ada"), await ping(second, "ada"), await ping(bob, "bob")]).toEqual([200, 404, 200]);
  });

  test("if all sessions are taken, the caller that has many makes room, even if it uses them all the time", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const target = await serve({ ...named, legacy: { sessions: { max: 14, maxPerClient: 12 } } });
    const bob = await LegacyClient.open(target, "2025-11-25", as("bob"));
    const mallory: LegacyClient[] = [];
    for (let n = 0; n < 12; n += 1) mallory.push(await LegacyClient.open(target, "2025-11-25", as("mallory")));
    await LegacyClient.open(target, "2025-11-25", as("dora"));
    vi.advanceTimersByTime(61_000);
    for (const client of mallory) expect(await ping(client, "mallory")).toBe(200);
    // There are 14 now. Bob was quiet longest, and keeps his.
    expect(await openMany(target, 1, as("carol"))).toEqual([200]);
    const lost = await Promise.all(mallory.map((client) => ping(client, "mallory")));
    expect(lost.filter((status) => status === 404)).toHaveLength(1);
    expect(await ping(bob, "bob")).toBe(200);
    // A caller that has many gets no further one at the expense of others.
    expect(await openMany(target, 1, as("mallory"))).toEqual([503]);
    expect(await ping(bob, "bob")).toBe(200);
  });

  test("streams of the HTTP+SSE pair are shared in the same way", async () => {
    const target = await serve({ ...named, legacy: { sse: true, sessions: { max: 5, maxPerClient: 2 } } });
    const open = async (name: string): Promise<Response> =>
      target.send({ path: "/sse", headers: { accept: "text/event-stream", ...as(name) } });
    const streams = [new Events(await open("mallory")), new Events(await open("mallory"))];
    for (const stream of streams) await stream.next();
    const refused = await open("mallory");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    await refused.text();
    streams.push(new Events(await open("carol")));
    expect((await streams[2]!.next())?.event).toBe("endpoint");
    for (const stream of streams) await stream.cancel();
  });
});

describe("callers that are not authenticated", () => {
  test.each([
    ["an IPv4 address", ["203.0.113.7", "::ffff:203.0.113.7"], "203.0.113.8"],
    [
      "a network of IPv6, of which one caller may have all addresses",
      ["2001:db8::1", "2001:db8:0:0:5::2"],
      "2001:db8:0:1::1",
    ],
    ["a network of IPv6, however it is written", ["2001:db8:1:2:3:4:5:6", "2001:DB8:1:2::"], "2001:db8:1:3::"],
  ])("are counted by %s", async (_what, addresses, other) => {
    const target = await serveAddressed({ legacy: { sessions: { maxPerClient: 2 } } });
    for (const address of addresses) expect(await openMany(target, 1, from(address))).toEqual([200]);
    for (const address of addresses) expect(await openMany(target, 1, from(address))).toEqual([429]);
    expect(await openMany(target, 1, from(other))).toEqual([200]);
  });

  test.each([
    "127.0.0.1",
    "::1",
    "::ffff:127.0.0.1",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "169.254.0.1",
    "fd12::1",
    "fe80::1%eth0",
    "",
  ])("are not told apart at %s, where a proxy may be", async (address) => {
    const target = await serveAddressed({ legacy: { sessions: { maxPerClient: 2, max: 3 } } });
    expect(await openMany(target, 4, from(address))).toEqual([200, 200, 200, 503]);
  });

  test.each(["172.15.0.1", "172.32.0.1", "100.128.0.1", "11.0.0.1", "2606::1"])(
    "are told apart at %s",
    async (address) => {
      const target = await serveAddressed({ legacy: { sessions: { maxPerClient: 1 } } });
      expect(await openMany(target, 2, from(address))).toEqual([200, 429]);
    },
  );
});
