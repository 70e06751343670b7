import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiError, change, messageOf, read, whenLoggedOut } from "../../page/src/api/client.ts";

interface Asked {
  readonly url: string;
  readonly init: RequestInit & { readonly headers: { readonly [name: string]: string } };
}

let asked: Asked[];
let answer: (asked: Asked) => Response | Promise<Response>;

beforeEach(() => {
  asked = [];
  vi.stubGlobal("fetch", async (url: string, init: Asked["init"]) => {
    asked.push({ url, init });
    return answer({ url, init });
  });
});

afterEach(() => {
  whenLoggedOut(() => undefined);
  vi.unstubAllGlobals();
});

function refuse(status: number, code: string, message: string, problems?: unknown): Response {
  return Response.json({ error: { code, message, problems } }, { status });
}

test("What has not changed is not sent again, and is the same object", async () => {
  answer = ({ init }) =>
    init.headers["if-none-match"] === '"1"'
      ? new Response(null, { status: 304 })
      : Response.json({ a: 1 }, { headers: { etag: '"1"' } });
  const first = await read("same");
  expect(await read("same")).toBe(first);
  expect(asked.map(({ init }) => init.headers["if-none-match"])).toEqual([undefined, '"1"']);
  expect(asked[0]?.url).toBe("/api/v1/same");
  expect(asked[0]?.init.credentials).toBe("same-origin");
});

test("Without a tag, nothing is remembered, and a tag that has gone is forgotten", async () => {
  let tag: string | undefined = '"1"';
  answer = () => Response.json({ at: asked.length }, { headers: tag === undefined ? {} : { etag: tag } });
  await read("tags");
  tag = undefined;
  expect(await read("tags")).toEqual({ at: 2 });
  await read("tags");
  expect(asked.map(({ init }) => init.headers["if-none-match"])).toEqual([undefined, '"1"', undefined]);
});

test("The last 50 paths are remembered, and the oldest is forgotten first", async () => {
  answer = () => Response.json({}, { headers: { etag: '"t"' } });
  for (let index = 0; index <= 50; index += 1) await read(`many/${index}`);
  asked = [];
  await read("many/0");
  await read("many/2");
  expect(asked.map(({ init }) => init.headers["if-none-match"])).toEqual([undefined, '"t"']);
});

test("A change sends JSON with the revision that was read", async () => {
  answer = () => Response.json({ done: true });
  const done = await change<unknown>("PUT", "servers/a", { title: "A" }, { revision: 3 });
  expect(done).toEqual({ done: true });
  const { method, headers, body } = asked[0]?.init ?? {};
  expect([method, headers, body]).toEqual([
    "PUT",
    { "content-type": "application/json", "if-match": '"3"' },
    '{"title":"A"}',
  ]);
});

test("A change without a body says nothing of its type, and an empty answer is undefined", async () => {
  answer = () => new Response(null, { status: 204 });
  const leave = new AbortController();
  const nothing = await change<unknown>("DELETE", "keys/1", undefined, { signal: leave.signal });
  expect(nothing).toBeUndefined();
  expect(asked[0]?.init).toMatchObject({ method: "DELETE", headers: {} });
  expect(asked[0]?.init).not.toHaveProperty("body");
  expect(asked[0]?.init.signal).toBe(leave.signal);
});

test("A refusal is an error with its status, code, text and problems", async () => {
  const problems = [{ path: ["servers", "a"], message: "no" }];
  answer = () => refuse(422, "invalid_configuration", "It cannot be used.", problems);
  const failure: unknown = await change("PUT", "servers/a", {}).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ApiError);
  expect(failure).toMatchObject({
    status: 422,
    code: "invalid_configuration",
    message: "It cannot be used.",
    problems,
  });
  answer = () => refuse(404, "not_found", "Nothing there.");
  expect(await read("x").catch((error: unknown) => error)).toMatchObject({ problems: [] });
});

test("An answer that is no JSON is told by its status", async () => {
  answer = () => new Response("<h1>Bad gateway</h1>", { status: 502 });
  await expect(read("x")).rejects.toMatchObject({ code: "unknown", message: "The gateway answered with status 502." });
});

test("A gateway that cannot be reached is told in a sentence, and a request that was broken off stays what it is", async () => {
  answer = () => Promise.reject(new TypeError("fetch failed"));
  await expect(read("x")).rejects.toMatchObject({ status: 0, message: expect.stringContaining("does not answer") });
  answer = () => Promise.reject(new DOMException("left", "AbortError"));
  await expect(read("x")).rejects.toMatchObject({ name: "AbortError" });
  answer = () => Promise.reject(new DOMException("other", "NetworkError"));
  await expect(read("x")).rejects.toMatchObject({ code: "unreachable" });
});

test("Only the end of the session asks for the token again", async () => {
  let count = 0;
  whenLoggedOut(() => (count += 1));
  answer = () => refuse(403, "foreign_origin", "No.");
  await read("x").catch(() => undefined);
  expect(count).toBe(0);
  answer = () => refuse(401, "not_logged_in", "Log in.");
  await read("x").catch(() => undefined);
  expect(count).toBe(1);
});

test("Whatever was thrown has a text", () => {
  expect(messageOf(new Error("a"))).toBe("a");
  expect(messageOf("b")).toBe("b");
});
