import { describe, expect, test } from "vitest";
import { createServer, resource, type ServerDiagnostic, type ListedResource, type Server } from "../../src/index.ts";
import { LegacyClient, ModernClient } from "../wire-client.ts";

/** A server whose template lists these, and what it reports. */
function serve(list: () => unknown, pageSize = 1000): { server: Server; reported: ServerDiagnostic[] } {
  const reported: ServerDiagnostic[] = [];
  const server = createServer({
    name: "l",
    version: "1",
    pageSize,
    onDiagnostic: (event) => reported.push(event),
    resources: {
      readme: resource({ uri: "docs://readme", read: () => "# Read me" }),
      note: resource({ template: "notes://{id}", list: list as () => ListedResource[], read: ({ id }) => id }),
      file: resource({ template: "files://{+path}", read: ({ path }) => path }),
    },
  });
  return { server, reported };
}

const uris =
  (...given: unknown[]): (() => unknown) =>
  () =>
    given.map((uri) => ({ uri, name: "n" }));

async function listAll(server: Server): Promise<string[]> {
  const client = new ModernClient(server);
  const found: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 20 && (page === 0 || cursor !== undefined); page += 1) {
    const result = await client.request("resources/list", cursor === undefined ? {} : { cursor });
    found.push(...result.resources.map(({ uri }: { uri: string }) => uri));
    cursor = result.nextCursor;
  }
  expect(cursor).toBeUndefined();
  return found;
}

describe("a resource that `list` of a template names, but that nobody could read,", () => {
  test("is left out of lists, and the operator learns of the template and the URI", async () => {
    const { server, reported } = serve(uris("notes://1", "note://2", "notes://3"));
    expect(await listAll(server)).toStrictEqual(["docs://readme", "notes://1", "notes://3"]);
    expect(reported).toMatchObject([
      {
        level: "warning",
        message: expect.stringMatching(
          /^resource "note": `list` returned "note:\/\/2", which its template notes:\/\/\{id\} does not match.*left out/,
        ),
      },
    ]);
  });

  test("is left out in the legacy era, too", async () => {
    const { server, reported } = serve(uris("note://2", "notes://3"));
    const { resources } = await (await LegacyClient.open(server)).request("resources/list");
    expect(resources).toMatchObject([{ uri: "docs://readme" }, { uri: "notes://3" }]);
    expect(reported).toHaveLength(1);
  });

  test("is reported once for each template, however often it is listed", async () => {
    const { server, reported } = serve(uris("note://1", "note://2", "note://3"));
    server.resources.add(
      "other",
      resource({ template: "other://{id}", list: () => [{ uri: "x://1" }], read: () => "" }),
    );
    await listAll(server);
    await listAll(server);
    expect(reported.map(({ message }) => /^resource "(\w+)"/.exec(message)?.[1])).toStrictEqual(["note", "other"]);
  });

  test("does not disturb pages", async () => {
    const { server } = serve(uris("note://1", "notes://2", "note://3", "note://4", "notes://5", "note://6"), 2);
    expect(await listAll(server)).toStrictEqual(["docs://readme", "notes://2", "notes://5"]);
  });

  test.each([undefined, 5, ""])("may also have no URI at all, such as %j", async (uri) => {
    const { server, reported } = serve(uris(uri, "notes://3"));
    expect(await listAll(server)).toStrictEqual(["docs://readme", "notes://3"]);
    expect(reported).toHaveLength(1);
  });
});

test("a template may list what another definition of the server reads", async () => {
  const { server, reported } = serve(uris("files://a/b.txt", "notes://1"));
  expect(await listAll(server)).toStrictEqual(["docs://readme", "files://a/b.txt", "notes://1"]);
  expect(reported).toStrictEqual([]);
});

test.each([
  ["an object with `resources`, as the official SDK wants it", { resources: [{ uri: "notes://1", name: "1" }] }],
  ["text", "notes://1"],
  ["one resource", { uri: "notes://1" }],
])("`list` that returns %s fails, and the operator reads what it should return", async (_what, returned) => {
  const { server, reported } = serve(() => returned);
  await expect(new ModernClient(server).request("resources/list")).rejects.toMatchObject({ code: -32603 });
  expect(reported).toMatchObject([
    {
      level: "error",
      error: {
        code: "INVALID_ARGUMENT",
        message: expect.stringMatching(
          /^resource "note": `list` returned an? \w+, but must return an array of resources/,
        ),
      },
    },
  ]);
});
