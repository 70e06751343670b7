import { describe, expect, it, vi } from "vitest";
import { createMemoryEngine } from "../../../../src/cluster/index.ts";
import { serveHttp } from "../../../../src/http.ts";
import { createServer } from "../../../../src/index.ts";

describe("serveHttp refuses workers", () => {
  it.each([
    [{ workers: 0 }, /`workers`/],
    [{ workers: 1.5 }, /`workers`/],
    [{ workers: "many" as "auto" }, /`workers`/],
    [{ workers: 2, cluster: createMemoryEngine().connect() }, /cannot be combined with `cluster`/],
    [{ workers: 2, maxBodyBytes: -1 }, /maxBodyBytes/],
  ])("if the options make no sense: %o", async (options, message) => {
    const server = createServer({ name: "x", version: "1" });
    await expect(serveHttp(server, options)).rejects.toThrow(message);
  });

  it("if the runtime has no such workers", async () => {
    vi.stubGlobal("Bun", {});
    try {
      const server = createServer({ name: "x", version: "1" });
      await expect(serveHttp(server, { workers: 2 })).rejects.toMatchObject({ code: "UNSUPPORTED" });
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
