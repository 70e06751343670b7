import fc from "fast-check";
import { expect, test } from "vitest";
import {
  isMorePrivate,
  isSecureUrl,
  morePrivateOf,
  type Zone,
  zoneOfAddress,
  zoneOfHost,
} from "../../src/auth/network/zones.ts";

/** The first and last addresses of each block, and their neighbours. */
const IPV4: readonly (readonly [string, Zone])[] = [
  ["0.0.0.0", "loopback"],
  ["0.255.255.255", "loopback"],
  ["1.0.0.0", "public"],
  ["9.255.255.255", "public"],
  ["10.0.0.0", "private"],
  ["10.255.255.255", "private"],
  ["11.0.0.0", "public"],
  ["99.64.0.0", "public"],
  ["100.63.255.255", "public"],
  ["100.64.0.0", "private"],
  ["100.127.255.255", "private"],
  ["100.128.0.0", "public"],
  ["101.64.0.0", "public"],
  ["126.255.255.255", "public"],
  ["127.0.0.1", "loopback"],
  ["127.255.255.255", "loopback"],
  ["128.0.0.0", "public"],
  ["168.254.0.1", "public"],
  ["169.253.255.255", "public"],
  ["169.254.169.254", "link-local"],
  ["169.255.0.0", "public"],
  ["170.254.0.1", "public"],
  ["171.16.0.1", "public"],
  ["172.15.255.255", "public"],
  ["172.16.0.0", "private"],
  ["172.31.255.255", "private"],
  ["172.32.0.0", "public"],
  ["173.16.0.1", "public"],
  ["191.168.0.1", "public"],
  ["192.0.0.255", "private"],
  ["192.0.1.0", "public"],
  ["192.1.0.0", "public"],
  ["192.167.255.255", "public"],
  ["192.168.0.0", "private"],
  ["192.169.0.0", "public"],
  ["193.0.0.0", "public"],
  ["193.168.0.0", "public"],
  ["197.18.0.0", "public"],
  ["198.17.255.255", "public"],
  ["198.18.0.0", "private"],
  ["198.19.255.255", "private"],
  ["198.20.0.0", "public"],
  ["199.18.0.0", "public"],
  ["223.255.255.255", "public"],
  ["224.0.0.0", "private"],
  ["225.0.0.0", "private"],
  ["255.255.255.255", "private"],
];

test.each(IPV4)("the address %s is %s", (address, zone) => {
  expect(zoneOfAddress(address)).toBe(zone);
  expect(zoneOfHost(address)).toBe(zone);
});

test.each<[string, Zone]>([
  ["::", "loopback"],
  ["::1", "loopback"],
  ["::2", "loopback"],
  ["::8.8.8.8", "public"],
  ["::ffff:8.8.8.8", "public"],
  ["::1:8.8.8.8", "private"],
  ["::1:0:8.8.8.8", "private"],
  ["64:ff9b::8.8.8.8", "public"],
  ["64:ff9c::8.8.8.8", "private"],
  ["65:ff9b::8.8.8.8", "private"],
  ["2001::7f00:1", "public"],
  ["2002:808:808::", "public"],
  ["2002:a00:1::", "private"],
  ["2002:7f00:1::", "loopback"],
  ["2002:a9fe:a9fe::", "link-local"],
  ["2003:a00:1::", "public"],
  ["1fff::1", "private"],
  ["2000::1", "public"],
  ["3fff:ffff::1", "public"],
  ["4000::1", "private"],
  ["fe7f::1", "private"],
  ["fe80::1", "link-local"],
  ["fe80::1%eth0", "link-local"],
  ["febf::1", "link-local"],
  ["fec0::1", "private"],
  ["0:0:0:0:0:0:0:1", "loopback"],
  ["2606:4700:0:0:0:0:0:1111", "public"],
])("the address %s is %s", (address, zone) => {
  expect(zoneOfAddress(address)).toBe(zone);
});

test("an IPv6 address that holds an IPv4 address is as private as that", () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const bytes = address.split(".").map((byte) => Number(byte).toString(16).padStart(2, "0"));
      const groups = `${bytes[0]}${bytes[1]}:${bytes[2]}${bytes[3]}`;
      const zone = zoneOfAddress(address);
      for (const form of [`::ffff:${groups}`, `64:ff9b::${groups}`, `2002:${groups}::1`]) {
        expect([form, zoneOfAddress(form)]).toEqual([form, zone]);
      }
    }),
  );
});

test.each(["", "nowhere", "1.2.3", "1.2.3.4.5", ":::", "1::2::3", "12345::1"])(
  "%j is no address, and counts as the most private one",
  (address) => {
    expect(zoneOfAddress(address)).toBe("link-local");
  },
);

test("a name for this machine is loopback, and any other name has to be resolved", () => {
  for (const name of ["localhost", "LOCALHOST", "localhost.", "a.localhost", "a.b.localhost.", "[::1]", "127.0.0.1."]) {
    expect([name, zoneOfHost(name)]).toEqual([name, "loopback"]);
  }
  for (const name of ["localhost.example", "notlocalhost", "localhosts", "example.com", "1.2.3.4.example", "1.2.3"]) {
    expect([name, zoneOfHost(name)]).toEqual([name, undefined]);
  }
  expect(zoneOfHost("[2606:4700::1111]")).toBe("public");
});

test("networks are in order, from the most public one to the most private one", () => {
  const zones: readonly Zone[] = ["public", "private", "loopback", "link-local"];
  for (const [index, one] of zones.entries()) {
    for (const [otherIndex, other] of zones.entries()) {
      expect(isMorePrivate(one, other)).toBe(index > otherIndex);
      expect(morePrivateOf(one, other)).toBe(zones[Math.max(index, otherIndex)]);
    }
  }
});

test("secrets may be sent with encryption, or to this machine, and to no URL with a name or a password", () => {
  const may = (url: string): boolean => isSecureUrl(new URL(url));
  for (const url of ["https://a.example/", "http://127.0.0.1:1/", "http://localhost/", "http://[::1]/"]) {
    expect([url, may(url)]).toEqual([url, true]);
  }
  const refused = ["http://a.example/", "http://10.0.0.1/", "ftp://localhost/", "wss://a.example/", "data:,x"];
  for (const url of [...refused, "https://a@a.example/", "https://:b@a.example/", "http://a@localhost/"]) {
    expect([url, may(url)]).toEqual([url, false]);
  }
});
