/** Threats to the network of the operator, over real sockets. Answers of DNS are simulated. */
import { afterAll, describe, expect, it } from "vitest";
import { AddressPolicy } from "../../src/caller/address-policy.ts";
import type { HttpDiagnostic } from "../../src/caller/diagnostics.ts";
import { createHttpCaller } from "../../src/caller/guarded-caller.ts";
import type { HttpCallerOptions } from "../../src/caller/options.ts";
import { bodyText, failureOf, send } from "../caller/send.ts";
import { startApi, startRawApi } from "../test-api.ts";

const REFUSED = "Error: Upstream API address is not allowed";
const opened: { close(): Promise<void> }[] = [];
afterAll(async () => {
  await Promise.all(opened.map((caller) => caller.close()));
});

function callerWith(options: HttpCallerOptions) {
  const caller = createHttpCaller({ onDiagnostic: () => {}, ...options });
  opened.push(caller);
  return caller;
}

describe("addresses-are-checked-in-every-form", () => {
  it.each([
    "http://127.0.0.1",
    "http://127.1",
    "http://0x7f.1",
    "http://0x7f000001",
    "http://2130706433",
    "http://0177.0.0.1",
    "http://127.0.0.1.",
    "http://[::1]",
    "http://[0:0:0:0:0:0:0:1]",
    "http://[::ffff:127.0.0.1]",
    "http://[::ffff:7f00:1]",
    "http://0.0.0.0",
    "http://0",
    "http://①②⑦.0.0.1",
    "http://169.254.169.254",
    "http://[fd00:ec2::254]",
    "http://168.63.129.16",
    "http://100.100.100.200",
  ])("the origin %s is refused before a connection is opened", async (origin) => {
    const diagnostics: HttpDiagnostic[] = [];
    const caller = callerWith({
      onDiagnostic: (each) => diagnostics.push(each),
      lookup: () => Promise.reject(new Error("looked up")),
    });
    // The origin of a request is that of a parsed URL, as the compiler of requests makes it.
    expect(await failureOf(send(caller, new URL(origin).origin))).toBe(REFUSED);
    expect(diagnostics).toMatchObject([{ type: "address-refused" }]);
    expect(diagnostics[0]?.message).toContain("allow it: network: { allow: [");
  });

  it.each([
    ["loopback", "127.0.0.1", "127.255.255.254", "::1"],
    ["private", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1"],
    ["link-local", "169.254.0.1", "fe80::1", "fe80::1%eth0", "febf::1"],
    ["unique-local", "fc00::1", "fdff::1"],
    ["carrier-grade NAT", "100.64.0.1", "100.127.255.255"],
    ["multicast", "224.0.0.1", "239.255.255.255", "ff02::1"],
    [
      "reserved",
      "240.0.0.1",
      "255.255.255.255",
      "192.0.2.1",
      "198.51.100.1",
      "203.0.113.1",
      "198.18.0.1",
      "192.0.0.1",
      "2001:db8::1",
    ],
    ["this network", "0.0.0.0", "0.1.2.3", "::"],
    ["IPv4-mapped", "::ffff:8.8.8.8", "::ffff:10.0.0.1", "::ffff:7f00:1"],
    ["IPv4-compatible", "::8.8.8.8", "::7f00:1"],
    ["IPv4-translated", "::ffff:0:127.0.0.1"],
    ["NAT64", "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::a00:1"],
    ["6to4", "2002:7f00:1::", "2002:a00:1::1"],
    ["Teredo", "2001:0:4136:e378:8000:63bf:3fff:fdd2"],
    ["ISATAP", "2001:470:1f0b:1:0:5efe:127.0.0.1", "2a00::200:5efe:a00:1", "fe80::5efe:a00:1"],
    ["site-local", "fec0::1"],
    ["metadata", "169.254.169.254", "fd00:ec2::254", "168.63.129.16", "100.100.100.200", "192.0.0.192"],
    ["discard and segment routing", "100::1", "5f00::1"],
    ["not an address", "", "localhost", "1.2.3", "999.1.1.1"],
  ])("%s addresses are not public", (_, ...addresses) => {
    const policy = new AddressPolicy({});
    expect(addresses.filter((address) => policy.allows("api.example.com", address))).toEqual([]);
  });

  it.each(["10.0.0.1", "::1", "169.254.169.254", "fe80::1", "::ffff:10.0.0.1"])(
    "a name that resolves to %s is refused",
    async (address) => {
      const diagnostics: HttpDiagnostic[] = [];
      const lookup = () => Promise.resolve([{ address, family: address.includes(":") ? 6 : 4 }]);
      const caller = callerWith({ lookup, onDiagnostic: (each) => diagnostics.push(each) });
      expect(await failureOf(send(caller, "http://api.example.com"))).toBe(REFUSED);
      expect(diagnostics).toMatchObject([{ type: "address-refused", host: "api.example.com", address }]);
    },
  );

  it("the text for the caller is the same for every refusal, so that nobody can explore the network by it", async () => {
    const texts = new Set<string>();
    for (const origin of ["http://127.0.0.1:1", "http://127.0.0.1:80", "http://10.0.0.1", "http://[::1]:9"]) {
      texts.add(await failureOf(send(callerWith({}), origin)));
    }
    expect([...texts]).toEqual([REFUSED]);
  });

  it("one line of configuration opens an internal API", async () => {
    await using api = await startApi();
    expect(await failureOf(send(callerWith({}), api.origin))).toBe(REFUSED);
    expect(bodyText(await send(callerWith({ network: { allow: ["localhost"] } }), api.origin))).toBe('{"ok":true}');
    const lookup = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
    const byName = callerWith({ network: { allow: ["api.internal"] }, lookup });
    expect((await send(byName, `http://api.internal:${api.port}`)).status).toBe(200);
    expect(await failureOf(send(byName, `http://other.internal:${api.port}`))).toBe(REFUSED);
  });

  it("the connection itself is checked, before the first byte is sent", async () => {
    let received = 0;
    await using api = await startRawApi((socket) => socket.on("data", () => (received += 1)));
    // A policy that changes its mind stands for a system that connects to another address than it was given.
    const policy = new AddressPolicy({ allow: ["localhost"] });
    const { createConnector } = await import("../../src/caller/guarded-connector.ts");
    let asked = 0;
    const changing = Object.create(policy, { allows: { value: () => (asked += 1) === 1 } }) as AddressPolicy;
    const connect = createConnector(changing, { connectTimeout: 5000 }, () => {});
    const target = { hostname: "127.0.0.1", protocol: "http:", port: String(api.port) };
    const error = await new Promise((resolve) => connect(target, (failure) => resolve(failure)));
    expect(error).toMatchObject({ code: "ADDRESS_REFUSED" });
    expect({ asked, received }).toEqual({ asked: 2, received: 0 });
  });
});

describe("rebinding-finds-no-second-lookup", () => {
  it("a name is looked up once for a connection, and the connection goes to an address of that answer", async () => {
    await using api = await startApi();
    let lookups = 0;
    const lookup = () => {
      lookups += 1;
      // The second answer would be an address that is not allowed.
      return Promise.resolve([{ address: lookups === 1 ? "127.0.0.1" : "10.0.0.1", family: 4 }]);
    };
    const caller = callerWith({ network: { allow: ["127.0.0.1"] }, lookup });
    expect((await send(caller, `http://rebind.example:${api.port}`)).status).toBe(200);
    expect(lookups).toBe(1);
    expect((await send(caller, `http://rebind.example:${api.port}`)).status).toBe(200);
    expect(lookups).toBe(1);
  });

  it("a new connection after the name has moved to a private address is refused", async () => {
    await using api = await startApi((response) => response.writeHead(200, { connection: "close" }).end("{}"));
    let lookups = 0;
    const lookup = () => Promise.resolve([{ address: (lookups += 1) === 1 ? "127.0.0.1" : "127.0.0.2", family: 4 }]);
    const caller = callerWith({ network: { allow: ["127.0.0.1"] }, lookup });
    expect((await send(caller, `http://rebind.example:${api.port}`)).status).toBe(200);
    expect(await failureOf(send(caller, `http://rebind.example:${api.port}`))).toBe(REFUSED);
    expect(api.seen).toHaveLength(1);
  });

  it("of a mixed answer, only allowed addresses are connected to", async () => {
    await using api = await startApi();
    await using trap = await startRawApi(() => {});
    const lookup = () =>
      Promise.resolve([
        { address: "127.0.0.2", family: 4 },
        { address: "::1", family: 6 },
        { address: "127.0.0.1", family: 4 },
      ]);
    const caller = callerWith({ network: { allow: ["127.0.0.1"] }, lookup });
    expect((await send(caller, `http://mixed.example:${api.port}`)).status).toBe(200);
    expect(trap.connections()).toBe(0);
  });
});

describe("redirects-are-not-followed", () => {
  it.each([301, 302, 303, 307, 308])(
    "a redirect %i to metadata is the response, and nothing else is sent",
    async (status) => {
      await using api = await startApi((response) =>
        response.writeHead(status, { location: "http://169.254.169.254/latest/meta-data/" }).end(),
      );
      const caller = callerWith({ network: { allow: ["localhost"] } });
      expect((await send(caller, api.origin)).status).toBe(status);
      expect(api.seen).toHaveLength(1);
    },
  );

  it.each([
    "http://169.254.169.254/",
    "//evil.example/x",
    "https://127.0.0.1/",
    "http://user:pw@127.0.0.1:PORT/",
    "javascript:alert(1)",
    "http://[",
  ])("even where redirects are allowed, %s is not followed, and no credential leaves the origin", async (location) => {
    await using other = await startApi();
    await using api = await startApi((response) =>
      response.writeHead(302, { location: location.replace("PORT", String(api.port)) }).end(),
    );
    const caller = callerWith({ network: { allow: ["localhost"] }, maxRedirects: 3 });
    const response = await send(caller, api.origin, { headers: { authorization: "Bearer secret" } });
    expect(response.status).toBe(302);
    expect(api.seen).toHaveLength(1);
    expect(other.seen).toHaveLength(0);
  });
});
