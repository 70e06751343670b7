import { describe, expect, it } from "vitest";
import { AddressPolicy } from "../../src/caller/address-policy.ts";

const closed = new AddressPolicy({});

describe("the policy of addresses", () => {
  it.each(["8.8.8.8", "1.1.1.1", "93.184.216.34", "2606:4700::1111", "2a00:1450:4001::1"])(
    "allows the public address %s",
    (address) => {
      expect(closed.allows("api.example.com", address)).toBe(true);
    },
  );

  it.each(["10.1.2.3", "10.1.255.255"])("allows %s if a network that contains it is allowed", (address) => {
    const policy = new AddressPolicy({ allow: ["10.1.0.0/16"] });
    expect(policy.allows("x", address)).toBe(true);
    expect(policy.allows("x", `::ffff:${address}`)).toBe(true);
    expect(policy.allows("x", "10.2.0.1")).toBe(false);
  });

  it("allows loopback by the name localhost, whichever way the URL says it", () => {
    const policy = new AddressPolicy({ allow: ["localhost"] });
    for (const address of ["127.0.0.1", "127.8.8.8", "::1"]) expect(policy.allows("localhost", address)).toBe(true);
    expect(policy.findProblem("http://127.0.0.1:3000")).toBeUndefined();
    expect(policy.findProblem("http://[::1]:3000")).toBeUndefined();
    expect(policy.allows("localhost", "10.0.0.1")).toBe(false);
  });

  it("allows internal addresses of an allowed name, but never those of metadata or links", () => {
    const policy = new AddressPolicy({ allow: ["api.internal", "*.corp.example"] });
    for (const address of ["10.0.0.1", "192.168.1.1", "fd12::1", "127.0.0.1", "100.64.0.1"]) {
      expect(policy.allows("api.internal", address)).toBe(true);
      expect(policy.allows("API.internal.", address)).toBe(true);
      expect(policy.allows("a.b.corp.example", address)).toBe(true);
      expect(policy.allows("corp.example", address)).toBe(false);
      expect(policy.allows("other.internal", address)).toBe(false);
    }
    for (const address of [
      "169.254.169.254",
      "fe80::1",
      "fd00:ec2::254",
      "100.100.100.200",
      "168.63.129.16",
      "0.0.0.0",
      "224.0.0.1",
    ]) {
      expect(policy.allows("api.internal", address)).toBe(false);
    }
  });

  it("allows an address of metadata only if it is named itself", () => {
    expect(new AddressPolicy({ allow: ["169.254.169.254"] }).allows("x", "169.254.169.254")).toBe(true);
  });

  it("reaches no other hosts and ports than those that are pinned", () => {
    const policy = new AddressPolicy({ hosts: ["api.example.com", "b.example.com:8443"], ports: [443, 8443] });
    expect(policy.findProblem("https://api.example.com")).toBeUndefined();
    expect(policy.findProblem("https://b.example.com:8443")).toBeUndefined();
    expect(policy.findProblem("https://b.example.com")).toContain("`network.hosts` does not name b.example.com");
    expect(policy.findProblem("https://other.example.com")).toContain(
      "`network.hosts` does not name other.example.com",
    );
    expect(policy.findProblem("https://api.example.com:22")).toContain("`network.ports` does not name 22");
  });

  it("tells the operator the one line that allows an address", () => {
    expect(closed.explain("api.internal", "10.1.2.3")).toBe(
      'Refused to connect to api.internal: 10.1.2.3 is a private address, not a public one. If this API may be called, allow it: network: { allow: ["10.1.2.3"] }.',
    );
    expect(closed.explain("localhost", "::1")).toContain('allow: ["localhost"]');
  });

  it.each(["10.1.0.0/99", "300.1.1.1", "1.2.3", "http://x", "a b", "", "*", "127.1"])(
    "refuses the entry %j",
    (entry) => {
      expect(() => new AddressPolicy({ allow: [entry] })).toThrow("which is no network, address or name");
    },
  );
});
