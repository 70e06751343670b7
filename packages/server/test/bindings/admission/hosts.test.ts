import { describe, expect, it } from "vitest";
import {
  isAllowedHost,
  isAllowedOrigin,
  isLoopbackAddress,
  readAdmissionOptions,
} from "../../../src/bindings/admission/hosts.ts";

/** Lists as they are understood. */
const hosts = (...allowedHosts: string[]): readonly string[] =>
  readAdmissionOptions({ allowedHosts }).allowedHosts ?? [];
const origins = (...allowedOrigins: string[]): readonly string[] =>
  readAdmissionOptions({ allowedOrigins }).allowedOrigins ?? [];

describe("hosts", () => {
  it.each(["localhost", "localhost:3000", "LOCALHOST:80", "127.0.0.1", "127.0.0.1:8080", "[::1]", "[::1]:3000"])(
    "allows %s by default",
    (host) => {
      expect(isAllowedHost(host)).toBe(true);
    },
  );

  it.each([
    undefined,
    "",
    "example.com",
    "localhost.example.com",
    "example.com:localhost",
    "localhost:80@example.com",
    "127.0.0.1.example.com",
    "::1",
    "[::2]",
    "0.0.0.0",
    "localhost.",
    "localhost:80:80x",
  ])("refuses %s by default", (host) => {
    expect(isAllowedHost(host)).toBe(false);
  });

  it("allows what is listed, for any port or one", () => {
    const allowed = hosts("MCP.example.com", "other.example.com:8443");
    expect(isAllowedHost("mcp.example.com", allowed)).toBe(true);
    expect(isAllowedHost("mcp.example.com:1234", allowed)).toBe(true);
    expect(isAllowedHost("other.example.com:8443", allowed)).toBe(true);
    expect(isAllowedHost("other.example.com", allowed)).toBe(false);
    expect(isAllowedHost("other.example.com:443", allowed)).toBe(false);
    expect(isAllowedHost("localhost", allowed)).toBe(false);
  });

  it.each(["mcp.example.com:443", "mcp.example.com:80"])(
    "allows %s without its port, which clients leave out if it is that of the scheme",
    (entry) => {
      expect(isAllowedHost("mcp.example.com", hosts(entry))).toBe(true);
      expect(isAllowedHost(entry, hosts(entry))).toBe(true);
      expect(isAllowedHost("mcp.example.com:8443", hosts(entry))).toBe(false);
    },
  );

  it("allows everything only if told so", () => {
    expect(isAllowedHost("example.com", ["*"])).toBe(true);
    expect(isAllowedHost(undefined, ["*"])).toBe(true);
    expect(isAllowedHost("example.com", [])).toBe(false);
  });
});

describe("origins", () => {
  it.each(["http://localhost:5173", "https://localhost", "http://127.0.0.1:3000", "http://[::1]:3000"])(
    "allows pages of this machine by default: %s",
    (origin) => {
      expect(isAllowedOrigin(origin)).toBe(true);
    },
  );

  it.each([
    "https://evil.example",
    "null",
    "",
    "file://",
    "chrome-extension://abcdef",
    "http://localhost.evil.example",
    "http://localhost@evil.example",
    "http://evil.example/localhost",
  ])("refuses others by default: %s", (origin) => {
    expect(isAllowedOrigin(origin)).toBe(false);
  });

  it("allows pages of the server's own hosts", () => {
    expect(isAllowedOrigin("https://mcp.example.com", undefined, ["mcp.example.com"])).toBe(true);
    expect(isAllowedOrigin("http://localhost", undefined, ["mcp.example.com"])).toBe(false);
  });

  it("allows pages of a port by their scheme, where that goes without saying", () => {
    const [secure, plain] = ["https://mcp.example.com", "http://mcp.example.com"];
    const allows = (origin: string, entry: string): boolean => isAllowedOrigin(origin, undefined, hosts(entry));
    expect([allows(secure, "mcp.example.com:443"), allows(plain, "mcp.example.com:443")]).toEqual([true, false]);
    expect([allows(secure, "mcp.example.com:80"), allows(plain, "mcp.example.com:80")]).toEqual([false, true]);
  });

  it("does not allow any page because any host is allowed", () => {
    expect(isAllowedOrigin("https://evil.example", undefined, ["*"])).toBe(false);
    expect(isAllowedOrigin("http://localhost", undefined, ["*"])).toBe(true);
  });

  it("allows exactly what is listed", () => {
    const allowed = origins("https://App.example.com/", "null");
    expect(isAllowedOrigin("https://app.example.com", allowed)).toBe(true);
    expect(isAllowedOrigin("null", allowed)).toBe(true);
    expect(isAllowedOrigin("http://app.example.com", allowed)).toBe(false);
    expect(isAllowedOrigin("https://app.example.com:8443", allowed)).toBe(false);
    expect(isAllowedOrigin("http://localhost", allowed)).toBe(false);
    expect(isAllowedOrigin("https://evil.example", ["*"])).toBe(true);
  });
});

describe("names that requests can have", () => {
  it.each(["mcp.example.com:8443", "[::1]", "[::1]:3000", "my_host", "LOCALHOST", "xn--bcher-kva.example", "host."])(
    "are taken for hosts: %s",
    (host) => {
      expect(isAllowedHost(host, hosts(host))).toBe(true);
    },
  );

  it.each(["127.1", "0x7f.1:3000", "2130706433", "[0:0:0:0:0:0:0:1]:80", "example.com:0443", "example.com:00"])(
    "are taken for hosts as they are written, too: %s",
    (host) => {
      expect(isAllowedHost(host, hosts(host))).toBe(true);
    },
  );

  it.each([
    ["B\u00fccher.example:8443", "xn--bcher-kva.example:8443"],
    ["[0:0:0:0:0:0:0:1]", "[::1]"],
    ["127.1:3000", "127.0.0.1:3000"],
    ["example.com:0443", "example.com:443"],
    ["example.com:0443", "example.com"],
    ["example.com:00", "example.com:0"],
  ])("are understood as clients write them: %s is %s", (entry, sent) => {
    expect(isAllowedHost(sent, hosts(entry))).toBe(true);
  });

  it.each([
    ["https://example.com:443", "https://example.com"],
    ["http://X:80/", "http://x"],
    ["https://B\u00fccher.example", "https://xn--bcher-kva.example"],
    ["http://[0:0:0:0:0:0:0:1]:3000", "http://[::1]:3000"],
    ["VSCode-Webview://0a1b2c", "vscode-webview://0a1b2c"],
    ["chrome-extension://abcdefgh/", "chrome-extension://abcdefgh"],
  ])("are understood as browsers write them: %s is %s", (entry, sent) => {
    expect(isAllowedOrigin(sent, origins(entry))).toBe(true);
  });

  it.each(["a@b", "x/y", "x?", "x#", "x:port", "x:99999999", "[::1", "*:80", "a b", ""])(
    "are not what no client sends: %s",
    (name) => {
      expect(() => hosts(name)).toThrow(/^`allowedHosts\[\d\]` must be a host such as "mcp\.example\.com"; got "/);
      expect(() => origins(`https://${name}`)).toThrow(
        /^`allowedOrigins\[\d\]` must be an origin such as "https:\/\/app\.example\.com"; got "/,
      );
    },
  );

  it.each(["x:8080/", "x:8080\\", "x:8080 ", "x:8080\n", "x:"])(
    "are not hosts whose port would be lost: %j",
    (name) => {
      expect(() => hosts(name)).toThrow(/^`allowedHosts\[\d\]` must be a host such as "mcp\.example\.com"; got "/);
    },
  );

  it.each([
    "http://[::1]:3000",
    "chrome-extension://abcdefgh",
    "vscode-webview://0a1b2c",
    "capacitor://localhost",
    "app://.",
    "file://",
    "null",
  ])("are taken for origins: %s", (origin) => {
    expect(isAllowedOrigin(origin, origins(origin))).toBe(true);
    expect(isAllowedOrigin(origin, ["https://app.example.com"])).toBe(false);
  });
});

describe("addresses to listen on", () => {
  it.each(["127.0.0.1", "127.1.2.3", "localhost", "::1"])("knows that %s stays on this machine", (address) => {
    expect(isLoopbackAddress(address)).toBe(true);
  });

  it.each(["0.0.0.0", "::", "192.168.0.1", "127.0.0.1.example.com", "example.com"])(
    "knows that %s does not",
    (address) => {
      expect(isLoopbackAddress(address)).toBe(false);
    },
  );
});
