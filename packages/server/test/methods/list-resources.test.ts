import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { accessControl, createServer, resource, type Server } from "../../src/index.ts";
import { countBefore, readMemberCursor, writeMemberCursor } from "../../src/methods/list-members.ts";
import type { ServedRequest } from "../../src/request/served-request.ts";
import { ModernClient } from "../wire-client.ts";

/** A server with single resources and families, which names what it was asked to list. */
function serve(
  pageSize: number,
  singles: readonly string[],
  families: { readonly [scheme: string]: string[] },
): { server: Server; asked: string[] } {
  const asked: string[] = [];
  const server = createServer({ name: "l", version: "1", pageSize, resources: {} });
  for (const name of singles) server.resources.add(name, resource({ uri: `one://${name}`, read: () => "" }));
  for (const [scheme, members] of Object.entries(families)) {
    const list = (): { uri: string }[] => {
      asked.push(scheme);
      return members.map((member) => ({ uri: `${scheme}://${member}` }));
    };
    server.resources.add(scheme, resource({ template: `${scheme}://{id}`, list, read: () => "" }));
  }
  return { server, asked };
}

/** The URIs of each page; something may happen between two. */
async function readPages(server: Server, between: (page: number) => void = () => {}): Promise<string[][]> {
  const client = new ModernClient(server);
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const result = await client.request("resources/list", cursor === undefined ? {} : { cursor });
    pages.push(result.resources.map(({ uri }: { uri: string }) => uri));
    cursor = result.nextCursor;
    if (cursor !== undefined) between(pages.length);
  } while (cursor !== undefined && pages.length < 50);
  return pages;
}

describe("resources/list with families", () => {
  test("pages hold all of it in order, whatever their size", async () => {
    const all = ["one://x", "one://y", "one://z", "a://1", "a://2", "a://3", "c://1"];
    for (let pageSize = 1; pageSize <= 8; pageSize += 1) {
      const { server } = serve(pageSize, ["x", "y", "z"], { a: ["1", "2", "3"], b: [], c: ["1"] });
      const pages = await readPages(server);
      expect(pages.flat()).toStrictEqual(all);
      for (const page of pages.slice(0, -1)) expect(page.length).toBe(pageSize);
    }
  });

  test("only the families that a page has room for are asked", async () => {
    const { server, asked } = serve(2, ["x", "y"], { a: ["1", "2"], b: ["1", "2", "3"] });
    const askedFor: string[][] = [];
    await readPages(server, () => askedFor.push(asked.splice(0)));
    askedFor.push(asked);
    expect(askedFor).toStrictEqual([[], ["a"], ["b"], ["b"]]);
  });

  test.each([
    ["something that was shown", (members: string[]) => members.splice(0, 1)],
    ["all that was shown but the last", (members: string[]) => members.splice(0, 2)],
    ["the last that was shown", (members: string[]) => members.splice(2, 1)],
  ])("nothing is left out when %s is removed between two pages", async (_what, change) => {
    const members = ["1", "2", "3", "4", "5", "6"];
    const { server } = serve(3, [], { a: members });
    const pages = await readPages(server, () => change(members));
    expect(pages).toStrictEqual([
      ["a://1", "a://2", "a://3"],
      ["a://4", "a://5", "a://6"],
    ]);
  });

  test("nothing is shown twice when something is added in front", async () => {
    const members = ["1", "2", "3"];
    const { server } = serve(2, [], { a: members });
    expect(await readPages(server, () => members.unshift("0"))).toStrictEqual([["a://1", "a://2"], ["a://3"]]);
  });

  test("an entry that is there twice does not make a list endless", async () => {
    const { server } = serve(1, [], { a: ["1", "1", "1"] });
    expect(await readPages(server)).toStrictEqual([["a://1"], ["a://1"], ["a://1"]]);
  });

  test("families and resources that go meanwhile take nothing of the others with them", async () => {
    const { server } = serve(1, ["x", "y", "z"], { a: ["1", "2"], b: ["1"] });
    const pages = await readPages(server, (page) => {
      if (page === 1) server.resources.remove("x");
      if (page === 4) server.resources.remove("a");
    });
    expect(pages.flat()).toStrictEqual(["one://x", "one://y", "one://z", "a://1", "b://1"]);
  });

  test.each(["", "x", btoa("members:1"), btoa('["members",1]'), btoa('["members",-1,0,""]'), btoa("resources:99")])(
    "the cursor %j is refused",
    async (cursor) => {
      const client = new ModernClient(serve(1, ["x"], { a: ["1", "2"] }).server);
      await expect(client.request("resources/list", { cursor })).rejects.toMatchObject({ code: -32602 });
    },
  );
});

describe("the cursors of lists with families", () => {
  const ids = ["public-a", "secret-merger", "public-b", "public-c"];

  function guarded({ name = "l", stateKey }: { name?: string; stateKey?: string } = {}, listed = ids): ModernClient {
    const server = createServer({
      name,
      version: "1",
      pageSize: 2,
      stateKey,
      middleware: [accessControl((subject) => !("uri" in subject && subject.uri.includes("secret")))],
      resources: {
        note: resource({
          template: "notes://{id}",
          list: () => listed.map((id) => ({ uri: `notes://${id}` })),
          read: () => "",
        }),
      },
    });
    return new ModernClient(server);
  }

  test("lists go on behind a page that leaves out what is hidden, which the cursor tells nobody", async () => {
    const client = guarded();
    const first = await client.request("resources/list");
    expect(first.resources.map(({ uri }: { uri: string }) => uri)).toStrictEqual([
      "notes://public-a",
      "notes://public-b",
    ]);
    expect(Buffer.from(first.nextCursor, "base64url").toString("latin1")).not.toContain("secret");
    const second = await client.request("resources/list", { cursor: first.nextCursor });
    expect(second.resources.map(({ uri }: { uri: string }) => uri)).toStrictEqual(["notes://public-c"]);
  });

  test("cursors do not even tell how long a hidden URI is", async () => {
    const lengths = ["secret", "secret".repeat(20)].map(async (secret) => {
      const { nextCursor } = await guarded({}, ["public-a", secret, "public-b", "public-c"]).request("resources/list");
      return nextCursor.length;
    });
    expect(new Set(await Promise.all(lengths)).size).toBe(1);
  });

  test("made-up and changed cursors are refused, so nobody can ask with them what exists", async () => {
    const client = guarded();
    const { nextCursor } = await client.request("resources/list");
    const places = ["notes://secret-merger", "notes://secret-other"].map((uri) => ["members", 1, 1, uri]);
    const forged = places.map((place) => btoa(encodeURIComponent(JSON.stringify(place))));
    const changed = `${nextCursor.slice(0, 40)}${nextCursor[40] === "A" ? "B" : "A"}${nextCursor.slice(41)}`;
    for (const cursor of [...forged, changed]) {
      await expect(client.request("resources/list", { cursor })).rejects.toMatchObject({ code: -32602 });
    }
  });

  test("cursors are good on every machine with the same key and name, and only there", async () => {
    const stateKey = "k".repeat(32);
    const { nextCursor: cursor } = await guarded({ stateKey }).request("resources/list");
    const page = await guarded({ stateKey }).request("resources/list", { cursor });
    expect(page.resources).toHaveLength(1);
    for (const other of [guarded(), guarded({ stateKey, name: "other" })]) {
      await expect(other.request("resources/list", { cursor })).rejects.toMatchObject({ code: -32602 });
    }
  });
});

test("a cursor gives back its place, whatever the URI holds, and however short questions live", async () => {
  const definition = { info: { name: "l" }, listStateKeys: () => [], inputTimeout: 0, cluster: { current: undefined } };
  const call = { definition } as unknown as ServedRequest;
  const place = fc.record(
    { order: fc.nat(), shown: fc.nat(), lastUri: fc.string({ unit: "binary" }) },
    { noNullPrototype: true },
  );
  await fc.assert(
    fc.asyncProperty(place, async (each) => {
      expect(await readMemberCursor(call, await writeMemberCursor(call, each))).toStrictEqual(each);
    }),
    { examples: [[{ order: 1, shown: 1, lastUri: "a\ud800" }]] },
  );
});

test("a cursor whose entry is gone, with more before it, does not go back to the beginning", () => {
  const members = ["4", "5"].map((uri) => ({ uri }));
  expect(countBefore(members, { order: 1, shown: 1, lastUri: "3" })).toBe(0);
  expect(countBefore(members, { order: 1, shown: 2, lastUri: "4" })).toBe(1);
});
