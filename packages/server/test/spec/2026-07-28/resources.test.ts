/** server/resources, server/prompts and server/utilities/completion of 2026-07-28. */
import { ErrorCode, RpcError } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createServer, image, prompt, resource, ToolError, type ServerDiagnostic } from "../../../src/index.ts";
import { ModernClient, type Json } from "../../wire-client.ts";

const diagnostics: ServerDiagnostic[] = [];
const seen: unknown[] = [];

const server = createServer({
  name: "resources",
  version: "1",
  onDiagnostic: (event) => diagnostics.push(event),
  resources: {
    readme: resource({
      uri: "docs://readme",
      title: "Read me",
      description: "About",
      mimeType: "text/markdown",
      size: 7,
      annotations: { audience: ["user"], priority: 0.8, lastModified: "2025-01-12T15:00:58Z" },
      icons: [{ src: "https://example.com/i.png" }],
      _meta: { "com.example/x": 1 },
      read: () => "# Hello",
    }),
    logo: resource({ uri: "docs://logo.png", mimeType: "image/png", read: async () => new Uint8Array([0, 255]) }),
    folder: resource({
      uri: "docs://folder",
      read: () => [
        { uri: "docs://folder/a", mimeType: "text/plain", text: "a" },
        { uri: "docs://folder/b", blob: "/w==", _meta: { "com.example/y": 1 } },
        "c",
      ],
    }),
    empty: resource({ uri: "docs://empty", read: () => [] }),
    gone: resource({ uri: "docs://gone", read: () => undefined }),
    fresh: resource({ uri: "docs://fresh", read: () => ({ contents: "now", ttlMs: 5000, cacheScope: "public" }) }),
    broken: resource({
      uri: "docs://broken",
      read() {
        throw new Error("secret");
      },
    }),
    picky: resource({
      uri: "docs://picky",
      read() {
        throw new ToolError("Come back tomorrow");
      },
    }),
    old: resource({
      uri: "docs://old",
      read() {
        throw new RpcError(ErrorCode.ResourceNotFound, "No longer there", { data: { uri: "docs://old" } });
      },
    }),
    file: resource({
      template: "file:///srv/{+path}",
      description: "Files",
      mimeType: "text/plain",
      list: () => [{ uri: "file:///srv/a.txt" }, { uri: "file:///srv/b.txt", name: "b", mimeType: "text/x-b" }],
      complete: { path: (value) => ["a.txt", "b.txt"].filter((path) => path.startsWith(value)) },
      read({ path }) {
        seen.push(path);
        return path === "missing" ? undefined : `contents of ${path}`;
      },
    }),
    user: resource({
      template: "users://{id}/posts{?page}",
      complete: {
        id: async (value, _ctx, settled) =>
          Array.from({ length: 150 }, (_, n) => `${value}${n}${settled["page"] ?? ""}`),
        page: () => ({ values: ["1"], total: 40, hasMore: true }),
      },
      read: ({ id, page }) => `${id} ${page ?? "first"}`,
    }),
  },
  prompts: {
    review: prompt({
      title: "Review",
      description: "Asks for a review",
      icons: [{ src: "https://example.com/i.png" }],
      arguments: {
        code: { required: true, description: "The code", title: "Code" },
        style: { complete: (value) => ["strict", "kind"].filter((style) => style.startsWith(value)) },
      },
      get: ({ code, style }) => `Review ${code} ${style ?? "plainly"}`,
    }),
    chat: prompt({
      get: () => [
        { role: "user", content: { type: "text", text: "Hi" } },
        { role: "assistant", content: { type: "text", text: "Hello" } },
      ],
    }),
    picture: prompt({ get: () => image("AQID", "image/png") }),
    full: prompt({
      description: "d",
      get: () => ({ description: "mine", messages: [], _meta: { "com.example/z": 1 } }),
    }),
    typed: prompt({
      arguments: z.object({
        count: z.string().regex(/^\d+$/).transform(Number).describe("How many"),
        note: z.string().optional(),
      }),
      complete: { count: () => ["1", "2"] },
      get: ({ count }) => `${count + 1}`,
    }),
    failing: prompt({
      get() {
        throw new Error("secret");
      },
    }),
  },
});

const client = new ModernClient(server);
const read = (uri: string): Promise<Json> => client.request("resources/read", { uri });

describe("resources", () => {
  test("servers that support resources MUST declare them", async () => {
    const { capabilities } = await client.request("server/discover");
    expect(capabilities).toMatchObject({
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
    });
  });

  test("are listed with everything they say about themselves, then the members that families name", async () => {
    const { resources } = await client.request("resources/list");
    expect(resources[0]).toStrictEqual({
      uri: "docs://readme",
      name: "readme",
      title: "Read me",
      description: "About",
      mimeType: "text/markdown",
      size: 7,
      annotations: { audience: ["user"], priority: 0.8, lastModified: "2025-01-12T15:00:58Z" },
      icons: [{ src: "https://example.com/i.png" }],
      _meta: { "com.example/x": 1 },
    });
    expect(resources.slice(-2)).toStrictEqual([
      { uri: "file:///srv/a.txt", name: "file", description: "Files", mimeType: "text/plain" },
      { uri: "file:///srv/b.txt", name: "b", description: "Files", mimeType: "text/x-b" },
    ]);
  });

  test("families are listed by their templates", async () => {
    const { resourceTemplates } = await client.request("resources/templates/list");
    expect(resourceTemplates).toStrictEqual([
      { uriTemplate: "file:///srv/{+path}", name: "file", description: "Files", mimeType: "text/plain" },
      { uriTemplate: "users://{id}/posts{?page}", name: "user" },
    ]);
  });

  test("text, bytes and several contents can be read; binary data MUST be properly encoded", async () => {
    expect((await read("docs://readme")).contents).toStrictEqual([
      { uri: "docs://readme", mimeType: "text/markdown", text: "# Hello" },
    ]);
    expect((await read("docs://logo.png")).contents).toStrictEqual([
      { uri: "docs://logo.png", mimeType: "image/png", blob: "AP8=" },
    ]);
    expect((await read("docs://folder")).contents).toStrictEqual([
      { uri: "docs://folder/a", mimeType: "text/plain", text: "a" },
      { uri: "docs://folder/b", blob: "/w==", _meta: { "com.example/y": 1 } },
      { uri: "docs://folder", text: "c" },
    ]);
    expect((await read("docs://empty")).contents).toStrictEqual([]);
  });

  test("members of families are read with their variables", async () => {
    expect((await read("file:///srv/deep/a%20b.txt")).contents).toStrictEqual([
      { uri: "file:///srv/deep/a%20b.txt", mimeType: "text/plain", text: "contents of deep/a b.txt" },
    ]);
    expect((await read("users://7/posts")).contents[0].text).toBe("7 first");
    expect((await read("users://7/posts?page=2")).contents[0].text).toBe("7 2");
  });

  test.each(["docs://nothing", "docs://gone", "docs://old", "file:///srv/missing", "not a uri", "", "__proto__"])(
    "%j, which does not exist, MUST yield -32602 with its uri, and no empty contents",
    async (uri) => {
      await expect(read(uri)).rejects.toMatchObject({ code: -32602, data: { uri } });
    },
  );

  test("servers MUST validate URIs: a request without one is refused", async () => {
    await expect(client.request("resources/read", {})).rejects.toMatchObject({ code: -32602 });
    await expect(client.request("resources/read", { uri: 1 })).rejects.toMatchObject({ code: -32602 });
  });

  test.each([
    "file:///srv/../etc/passwd",
    "file:///srv/a/../../etc/passwd",
    "file:///srv/%2e%2e/etc/passwd",
    "file:///srv/..%2fetc%2fpasswd",
    "file:///srv/..%5cetc",
    "file:///srv/a%00b",
    "file:///srv/..",
    "FILE:///srv/../x",
  ])("servers MUST prevent directory traversal: %s never reaches the handler", async (uri) => {
    const before = seen.length;
    await expect(read(uri)).rejects.toMatchObject({ code: -32602 });
    expect(seen).toHaveLength(before);
  });

  test("internal errors SHOULD yield -32603, with an id instead of their text", async () => {
    await expect(read("docs://broken")).rejects.toMatchObject({
      code: -32603,
      message: expect.not.stringContaining("secret"),
    });
    expect(diagnostics.at(-1)).toMatchObject({ level: "error", error: new Error("secret") });
    await expect(read("docs://broken")).rejects.toMatchObject({
      message: expect.stringMatching(/^Internal error \(id [0-9a-f-]{36}\)$/),
    });
  });

  test("errors that were made to be read are", async () => {
    await expect(read("docs://picky")).rejects.toMatchObject({ code: -32603, message: "Come back tomorrow" });
  });
});

describe("prompts", () => {
  const get = (name: string, args?: object): Promise<Json> =>
    client.request("prompts/get", { name, ...(args && { arguments: args }) });

  test("are listed with their arguments", async () => {
    const { prompts } = await client.request("prompts/list");
    expect(prompts[0]).toStrictEqual({
      name: "review",
      title: "Review",
      description: "Asks for a review",
      icons: [{ src: "https://example.com/i.png" }],
      arguments: [{ name: "code", title: "Code", description: "The code", required: true }, { name: "style" }],
    });
    expect(prompts[1]).toStrictEqual({ name: "chat" });
    expect(prompts[4]).toStrictEqual({
      name: "typed",
      arguments: [{ name: "count", description: "How many", required: true }, { name: "note" }],
    });
  });

  test("text becomes one message of the user", async () => {
    expect(await get("review", { code: "x", style: "kindly" })).toMatchObject({
      description: "Asks for a review",
      messages: [{ role: "user", content: { type: "text", text: "Review x kindly" } }],
    });
  });

  test("blocks, messages and whole results can be returned", async () => {
    expect((await get("picture")).messages).toStrictEqual([
      { role: "user", content: { type: "image", data: "AQID", mimeType: "image/png" } },
    ]);
    expect((await get("chat")).messages).toHaveLength(2);
    expect(await get("full")).toMatchObject({ description: "mine", messages: [], _meta: { "com.example/z": 1 } });
  });

  test("an invalid name yields -32602", async () => {
    await expect(get("nope")).rejects.toMatchObject({ code: -32602, message: "Unknown prompt: nope" });
    await expect(get("constructor")).rejects.toMatchObject({ code: -32602 });
  });

  test("missing required arguments yield -32602, and SHOULD be validated before processing", async () => {
    await expect(get("review")).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("`code`") });
    await expect(get("review", { style: "x" })).rejects.toMatchObject({ code: -32602 });
    await expect(get("review", { code: 1 })).rejects.toMatchObject({ code: -32602 });
  });

  test("arguments by schema are checked and transformed", async () => {
    expect((await get("typed", { count: "41" })).messages[0].content.text).toBe("42");
    await expect(get("typed", { count: "many" })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("count"),
    });
  });

  test("arguments that a prompt does not have are left behind, whatever their name", async () => {
    expect(
      (await get("review", JSON.parse('{"code":"x","__proto__":"y","other":"z"}') as object)).messages[0].content.text,
    ).toBe("Review x plainly");
  });

  test("internal errors yield -32603 without their text", async () => {
    await expect(get("failing")).rejects.toMatchObject({
      code: -32603,
      message: expect.not.stringContaining("secret"),
    });
  });
});

describe("completion", () => {
  const complete = async (ref: object, name: string, value: string, context?: object): Promise<Json> =>
    (await client.request("completion/complete", { ref, argument: { name, value }, ...(context && { context }) }))
      .completion;
  const review = { type: "ref/prompt", name: "review" };
  const user = { type: "ref/resource", uri: "users://{id}/posts{?page}" };

  test("suggests values for the arguments of prompts", async () => {
    expect(await complete(review, "style", "st")).toStrictEqual({ values: ["strict"] });
    expect(await complete({ type: "ref/prompt", name: "typed" }, "count", "")).toStrictEqual({ values: ["1", "2"] });
  });

  test("suggests values for the variables of templates", async () => {
    expect(await complete({ type: "ref/resource", uri: "file:///srv/{+path}" }, "path", "b")).toStrictEqual({
      values: ["b.txt"],
    });
  });

  test("sends at most 100, and says that there are more", async () => {
    const { values, total, hasMore } = await complete(user, "id", "u");
    expect(values).toHaveLength(100);
    expect({ total, hasMore }).toStrictEqual({ total: 150, hasMore: true });
    expect(await complete(user, "page", "")).toStrictEqual({ values: ["1"], total: 40, hasMore: true });
  });

  test("the arguments that are settled already are at hand", async () => {
    const { values } = await complete(user, "id", "u", { arguments: { page: "-p" } });
    expect(values[0]).toBe("u0-p");
  });

  test("an argument that nothing completes has no suggestions", async () => {
    expect(await complete(review, "code", "x")).toStrictEqual({ values: [] });
  });

  test.each([
    [{ type: "ref/prompt", name: "nope" }, "a"],
    [{ type: "ref/resource", uri: "nope://{x}" }, "x"],
    [{ type: "ref/resource", uri: "docs://readme" }, "x"],
    [{ type: "ref/tool", name: "a" }, "x"],
    [review, "nope"],
    [review, "__proto__"],
  ])("an invalid reference or argument yields -32602: %j %s", async (ref, name) => {
    await expect(complete(ref, name, "")).rejects.toMatchObject({ code: -32602 });
  });

  test.each([
    {},
    { ref: review },
    { ref: review, argument: { name: "style" } },
    { ref: review, argument: { name: "style", value: "" }, context: { arguments: { a: 1 } } },
  ])("all inputs MUST be validated: %j", async (params) => {
    await expect(client.request("completion/complete", params)).rejects.toMatchObject({ code: -32602 });
  });

  test("a server without completions does not serve the method", async () => {
    const other = new ModernClient(
      createServer({ name: "n", version: "1", prompts: { p: prompt({ get: () => "" }) } }),
    );
    const params = { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } };
    await expect(other.request("completion/complete", params)).rejects.toMatchObject({ code: -32601 });
  });
});
