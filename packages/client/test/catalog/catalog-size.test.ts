import { connect, createResultCache, type Tool } from "@toolwire/client";
import { describe, expect, test, vi } from "vitest";
import { ToolCatalog } from "../../src/catalog/catalog.ts";
import { modernServer } from "../scripted-server.ts";

const MEGABYTE = 1024 * 1024;

function tool(name: string, description: string): Tool {
  return { name, description, inputSchema: { type: "object" } };
}

/** The number of tools that the catalog still knows, out of so many of a size. */
function countKept(catalog: ToolCatalog, count: number, make: (index: number) => Tool): number {
  for (let index = 0; index < count; index++) catalog.learn([make(index)], false);
  let kept = 0;
  for (let index = 0; index < count; index++) if (catalog.get(`t${index}`) !== undefined) kept += 1;
  return kept;
}

describe("the memory that a client keeps of the tools of a server", () => {
  test("is bounded in size as well as in number", () => {
    const kept = countKept(new ToolCatalog(() => {}), 100, (index) => tool(`t${index}`, "x".repeat(MEGABYTE)));
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThanOrEqual(32);
  });

  test("is bounded by the room that it takes, of which small parts take several times their text", () => {
    const properties = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`p${index}`, {}]));
    const inputSchema = { type: "object" as const, properties };
    const kept = countKept(new ToolCatalog(() => {}), 100, (index) => ({ ...tool(`t${index}`, ""), inputSchema }));
    expect(kept).toBeGreaterThan(0);
    // By their text, which has a tenth of a megabyte, all of them would fit three times.
    expect(kept).toBeLessThanOrEqual(50);
  });

  test("has room again for other tools when some are listed smaller, or everything is forgotten", () => {
    const catalog = new ToolCatalog(() => {});
    countKept(catalog, 100, (index) => tool(`t${index}`, "x".repeat(MEGABYTE)));
    catalog.learn([tool("late", "x".repeat(MEGABYTE))], false);
    expect(catalog.get("late")).toBeUndefined();
    catalog.learn([tool("t0", "short")], false);
    catalog.learn([tool("late", "x".repeat(MEGABYTE))], false);
    expect(catalog.get("late")).toBeDefined();
    catalog.forget();
    expect(countKept(catalog, 10, (index) => tool(`t${index}`, "x".repeat(MEGABYTE)))).toBe(10);
  });

  test("keeps nothing of a tool that has grown too large, rather than what it was before", () => {
    const catalog = new ToolCatalog(() => {});
    catalog.learn([tool("t", "short")], false);
    catalog.learn([tool("t", "x".repeat(64 * MEGABYTE))], false);
    expect(catalog.get("t")).toBeUndefined();
  });

  test("is told to be incomplete, once, and without repeating long names", () => {
    const diagnose = vi.fn<(event: { readonly message: string }) => void>();
    const catalog = new ToolCatalog(diagnose);
    for (let index = 0; index < 100; index++) {
      catalog.learn([tool(`${index} ${"n".repeat(MEGABYTE)}`, "")], false);
      catalog.learn([{ name: `\u001B[2J${"n".repeat(MEGABYTE)}`, inputSchema: null as never }], false);
    }
    const messages = diagnose.mock.calls.map(([{ message }]) => message);
    expect(messages).toHaveLength(2);
    for (const message of messages) {
      expect(message.length).toBeLessThan(500);
      expect(message).not.toContain("\u001B");
    }
  });
});

test("an iteration over a list without end and with huge cursors is given up", async () => {
  let pages = 0;
  const server = modernServer({
    "tools/list": () => ({ tools: [], nextCursor: `${++pages} ${"x".repeat(8 * MEGABYTE)}` }),
  });
  const client = await connect(server.channel);
  const iterate = async (): Promise<void> => {
    for await (const _ of client.allTools()) expect.unreachable("There is no tool.");
  };
  await expect(iterate()).rejects.toMatchObject({ code: "INVALID_RESULT" });
  expect(pages).toBeLessThanOrEqual(10);
  await client.close();
});

describe("a cache of results", () => {
  test("is bounded in size as well as in number, and drops what was not used for longest", () => {
    const cache = createResultCache();
    for (let index = 0; index < 100; index++) cache.set(`k${index}`, { text: "x".repeat(MEGABYTE) }, 60_000);
    const kept = Array.from({ length: 100 }, (_, index) => cache.get(`k${index}`) !== undefined);
    expect(kept.filter(Boolean).length).toBeLessThanOrEqual(64);
    expect(kept.at(-1)).toBe(true);
    expect(kept[0]).toBe(false);
  });

  test("can be given another bound, counts keys, and keeps nothing that is larger than all of it", () => {
    const cache = createResultCache({ maxBytes: 10_000 });
    cache.set("small", { text: "x" }, 60_000);
    cache.set("large", { text: "x".repeat(10_000) }, 60_000);
    cache.set("k".repeat(10_000), {}, 60_000);
    expect(cache.get("large")).toBeUndefined();
    expect(cache.get("k".repeat(10_000))).toBeUndefined();
    expect(cache.get("small")).toBeDefined();
    for (let index = 0; index < 10; index++) cache.set(`k${index}`, { text: "x".repeat(3000) }, 60_000);
    expect(cache.get("small")).toBeUndefined();
    expect(cache.get("k9")).toBeDefined();
    cache.set("k9", { text: "x" }, 60_000);
    cache.drop("k");
    cache.set("again", { text: "x".repeat(9000) }, 60_000);
    expect(cache.get("again")).toBeDefined();
  });
});
