import type { LookupAddress } from "node:dns";
import { oauth } from "@toolwire/client/auth";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AuthNetwork } from "../../src/auth/network/network.ts";
import { zoneOfAddress } from "../../src/auth/network/zones.ts";
import { instantLogin, issuerMetadata } from "./lab/scripted-site.ts";

/** What the DNS says about a name, one answer after the other; the last one stays. */
const dns = vi.hoisted(() => ({ answers: [] as string[][], asked: [] as string[] }));
/** The addresses that connections went to. Nothing is sent. */
const reached = vi.hoisted(() => [] as string[]);

function nextAnswer(): LookupAddress[] {
  const addresses = (dns.answers.length > 1 ? dns.answers.shift() : dns.answers[0]) ?? [];
  return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
}

vi.mock("node:dns/promises", () => ({ lookup: async () => nextAnswer() }));
vi.mock("node:dns", () => ({
  lookup: (_: string, __: object, callback: (error: null, found: LookupAddress[]) => void) =>
    callback(null, nextAnswer()),
}));
vi.mock("undici", () => {
  type Lookup = (name: string, options: object, done: (error: Error | null, address: string) => void) => void;
  class Agent {
    readonly lookup: Lookup | undefined;
    constructor({ connect }: { connect: { lookup?: Lookup } }) {
      this.lookup = connect.lookup;
    }
  }
  const fetch = (url: URL, { dispatcher }: { dispatcher: Agent }): Promise<Response> =>
    new Promise((resolve, reject) => {
      dispatcher.lookup?.(url.hostname, {}, (error, address) => {
        if (error !== null) return reject(error);
        reached.push(address);
        resolve(Response.json({}));
      });
    });
  return { Agent, fetch };
});

beforeEach(() => {
  reached.length = 0;
});
afterEach(() => {
  dns.answers = [];
});

const publicServer = { url: new URL("https://203.0.113.1/mcp"), http: {} };

describe("threat 14: a name that leads elsewhere a moment later", () => {
  test("threat 14: a connection goes to the addresses that were checked, not to those of a later look into the DNS", async () => {
    dns.answers = [["203.0.113.7"], ["127.0.0.1"]];
    const network = new AuthNetwork(publicServer, undefined);
    await network.fetch("https://rebind.example/x", {});
    expect(reached).toEqual(["203.0.113.7"]);
  });

  test("threat 14: a second request whose name leads inside does not take the first one along", async () => {
    dns.answers = [["203.0.113.7"], ["127.0.0.1"]];
    const network = new AuthNetwork(publicServer, undefined);
    const [first, second] = await Promise.allSettled([
      network.fetch("https://rebind.example/x", {}),
      network.fetch("https://rebind.example/y", {}),
    ]);
    expect(first.status).toBe("fulfilled");
    expect(second).toMatchObject({ status: "rejected", reason: { code: "INSECURE_URL" } });
    expect(reached).toEqual(["203.0.113.7"]);
  });

  test("threat 14: one private address among public ones is enough to refuse a name", async () => {
    dns.answers = [["203.0.113.7", "10.0.0.1"]];
    const network = new AuthNetwork(publicServer, undefined);
    await expect(network.fetch("https://mixed.example/", {})).rejects.toMatchObject({ code: "INSECURE_URL" });
    expect(reached).toEqual([]);
  });

  test("threat 14: a name of this machine never leads to another one, whatever the DNS says", async () => {
    dns.answers = [["203.0.113.66"]];
    const network = new AuthNetwork({ url: new URL("http://localhost:1/mcp"), http: {} }, undefined);
    await expect(network.fetch("http://as.localhost:9/token", {})).rejects.toMatchObject({ code: "TEMPORARY" });
    expect(reached).toEqual([]);
    dns.answers = [["203.0.113.66", "127.0.0.1"]];
    await network.fetch("http://as.localhost:9/token", {});
    expect(reached).toEqual(["127.0.0.1"]);
  });
});

test.each([
  ["::ffff:0:127.0.0.1", "private"],
  ["64:ff9b:1::127.0.0.1", "loopback"],
  ["100::1", "private"],
  ["5f00::1", "private"],
  ["4000::1", "private"],
  ["2606:4700::1111", "public"],
  ["ff02::1", "private"],
  ["fec0::1", "private"],
])("threat 14: %s is %s", (address, zone) => {
  expect(zoneOfAddress(address)).toBe(zone);
});

test("threat 14: a user is not sent to a page in a more private network than the server", async () => {
  for (const page of ["http://127.0.0.1:8080/restart", "http://localhost:631/", "https://192.168.0.1/admin"]) {
    const login = instantLogin();
    const { connect } = await import("@toolwire/client");
    const answers = new Map<string, object>([
      [
        "https://mcp.example/.well-known/oauth-protected-resource/mcp",
        { resource: "https://mcp.example/mcp", authorization_servers: ["https://as.example"] },
      ],
      [
        "https://as.example/.well-known/oauth-authorization-server",
        { ...issuerMetadata("https://as.example"), authorization_endpoint: page },
      ],
      ["https://as.example/register", { client_id: "client-1" }],
    ]);
    const send = async (url: URL): Promise<Response> => {
      const found = answers.get(url.href);
      return found === undefined ? new Response("", { status: 401 }) : Response.json(found);
    };
    await expect(
      connect("https://mcp.example/mcp", { auth: oauth({ login }), revision: "2026-07-28", http: { fetch: send } }),
    ).rejects.toMatchObject({ code: "INSECURE_URL" });
    expect(login.urls).toEqual([]);
  }
});
