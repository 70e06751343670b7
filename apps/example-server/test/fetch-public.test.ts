import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { fetchPublic, type FetchOptions } from "../src/fetching/fetch-public.ts";
import { isPublicAddress } from "../src/fetching/public-address.ts";

describe("isPublicAddress", () => {
  test.each([
    "127.0.0.1",
    "127.8.9.1",
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "192.0.2.7",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::7f00:1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "ff02::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2001:0:1::1",
    "localhost",
    "",
  ])("%s is not", (address) => expect(isPublicAddress(address)).toBe(false));

  test.each(["8.8.8.8", "172.32.0.1", "192.0.1.1", "2606:4700::1111", "2a00:1450::1"])("%s is", (address) =>
    expect(isPublicAddress(address)).toBe(true),
  );
});

describe("fetchPublic", () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  /** A web server on this machine; `requests` are the paths it was asked for. */
  async function serve(answer: RequestListener): Promise<{ port: number; requests: string[] }> {
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(request.url ?? "");
      answer(request, response);
    });
    servers.push(server);
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    return { port: (server.address() as AddressInfo).port, requests };
  }

  const signal = new AbortController().signal;
  /** Lets the tests use loopback, and nothing else. */
  const loopback: FetchOptions = {
    signal,
    isAllowed: (address) => address === "127.0.0.1",
    resolve: async (name) => (name === "files.example" ? ["127.0.0.1"] : ["10.0.0.1"]),
  };

  test("fetches nothing from this machine", async () => {
    const { port, requests } = await serve((_, response) => response.end("secret"));
    for (const host of ["127.0.0.1", "localhost", "[::1]", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]"]) {
      await expect(fetchPublic(new URL(`http://${host}:${port}/`), { signal })).rejects.toThrow(
        "does not lead to the public internet",
      );
    }
    expect(requests).toEqual([]);
  });

  test("refuses a name if any of its addresses is private, without saying which", async () => {
    const { port, requests } = await serve((_, response) => response.end("secret"));
    const resolve = async (): Promise<string[]> => ["127.0.0.1", "10.0.0.1"];
    const refused = fetchPublic(new URL(`http://files.example:${port}/`), { ...loopback, resolve });
    await expect(refused).rejects.toThrow(/^files\.example does not lead to the public internet/);
    await expect(refused).rejects.not.toThrow("10.0.0.1");
    expect(requests).toEqual([]);
  });

  test("connects to the address that was checked", async () => {
    const { port } = await serve((request, response) => response.end(`for ${request.headers.host}`));
    const bytes = await fetchPublic(new URL(`http://files.example:${port}/a`), loopback);
    expect(Buffer.from(bytes).toString()).toBe(`for files.example:${port}`);
  });

  test("follows redirects, and checks each", async () => {
    const { port, requests } = await serve((request, response) => {
      const target = { "/good": "/file", "/bad": "http://inside.example/", "/literal": "http://10.0.0.1/" }[
        request.url ?? ""
      ];
      if (target === undefined) response.end("found");
      else response.writeHead(302, { Location: target }).end();
    });
    const from = (path: string): Promise<Uint8Array> =>
      fetchPublic(new URL(`http://files.example:${port}${path}`), loopback);
    expect(Buffer.from(await from("/good")).toString()).toBe("found");
    await expect(from("/bad")).rejects.toThrow("inside.example does not lead to the public internet");
    await expect(from("/literal")).rejects.toThrow("10.0.0.1 does not lead to the public internet");
    expect(requests).toEqual(["/good", "/file", "/bad", "/literal"]);
  });

  test.each(["file:///etc/passwd", "ftp://files.example/", "data:,x"])(
    "does not follow a redirect to %s",
    async (to) => {
      const { port } = await serve((_, response) => response.writeHead(302, { Location: to }).end());
      await expect(fetchPublic(new URL(`http://files.example:${port}/`), loopback)).rejects.toThrow(
        "only http: and https:",
      );
    },
  );

  test("gives up on endless redirects", async () => {
    const { port, requests } = await serve((_, response) => response.writeHead(302, { Location: "/again" }).end());
    await expect(fetchPublic(new URL(`http://files.example:${port}/`), loopback)).rejects.toThrow("more than 3 times");
    expect(requests).toHaveLength(4);
  });

  test("stops reading at the limit, whatever the server sends", async () => {
    const { port } = await serve((request, response) => {
      const write = (): void => {
        if (!response.destroyed) response.write(Buffer.alloc(1024), write);
      };
      request.on("close", () => response.destroy());
      write();
    });
    await expect(
      fetchPublic(new URL(`http://files.example:${port}/`), { ...loopback, maxBytes: 10_000 }),
    ).rejects.toThrow("larger than 10000 bytes");
  });

  test("stops waiting at the limit", async () => {
    const { port } = await serve(() => {});
    await expect(fetchPublic(new URL(`http://files.example:${port}/`), { ...loopback, maxMs: 50 })).rejects.toThrow(
      "took longer than 50 ms",
    );
  });

  test("ends with its caller", async () => {
    const caller = new AbortController();
    const { port } = await serve(() => caller.abort());
    await expect(
      fetchPublic(new URL(`http://files.example:${port}/`), { ...loopback, signal: caller.signal }),
    ).rejects.toMatchObject({ name: "AbortError" });
  });

  test("tells of a status that is no success, and of a server that is not there", async () => {
    const { port } = await serve((_, response) => response.writeHead(404).end());
    await expect(fetchPublic(new URL(`http://files.example:${port}/`), loopback)).rejects.toThrow("status 404");
    const resolve = async (): Promise<never> => {
      throw new Error("ENOTFOUND");
    };
    await expect(fetchPublic(new URL("http://files.example/"), { ...loopback, resolve })).rejects.toThrow(
      "cannot be reached",
    );
  });

  test("takes no credentials along", async () => {
    await expect(fetchPublic(new URL("http://user:secret@files.example/"), loopback)).rejects.toThrow("password");
  });
});
