import fc from "fast-check";
import { createServer, prompt, resource, RpcError, tool } from "@toolwire/server";
import { describe, expect, test } from "vitest";
import type { ServerConfig } from "../../src/config/config.ts";
import { getTool, type LocalGateway, startLocal } from "../local-gateway.ts";
import { type SimulatedApi, simulateApi } from "../simulated-api.ts";
import { overHttp } from "../upstreams/hosting.ts";

const ALPHABET = Array.from("abcdefghijklmnopqrstuvwxyz0123456789");

/** An API without credentials that repeats what it is asked for: in errors, in results, in binary data. */
function repeatingApi(): ReturnType<typeof simulateApi> {
  return simulateApi(({ target, body }) => {
    const url = new URL(target, "http://localhost");
    const text = url.searchParams.get("text") ?? body;
    if (url.pathname === "/fails") return { status: 404, body: JSON.stringify({ message: `City not found: ${text}` }) };
    if (url.pathname === "/plain") return { status: 400, body: text, headers: { "content-type": "text/plain" } };
    if (url.pathname === "/image") return { body: text, headers: { "content-type": "image/png" } };
    return { body: JSON.stringify({ text, nested: JSON.stringify({ text }) }) };
  });
}

const TEXT = { input: { type: "object", properties: { text: { type: "string" } } } } as const;

/** Whose secrets there are: of another server, of another caller, of the gateway. */
interface World {
  readonly other: string;
  readonly user: string;
  readonly admin: string;
}

/** A gateway with secrets of others, and a server of a caller whose tools repeat texts. */
async function openWorld(api: string, upstream: string, { other, user, admin }: World): Promise<LocalGateway> {
  const tools = (name: string): NonNullable<ServerConfig["tools"]> => ({
    fails: getTool(`${api}/fails`, TEXT),
    plain: getTool(`${api}/plain`, TEXT),
    result: getTool(`${api}/result`, { ...TEXT, response: { select: "@" } }),
    image: getTool(`${api}/image`, { ...TEXT, response: { as: "auto" } }),
    [name]: getTool(`${api}/result`, { ...TEXT, credential: "own" }),
  });
  const env = { OTHER: other, ADMIN: admin, OPEN: "canary-of-this-server" };
  const local = await startLocal(
    {
      open: {
        tools: tools("mine"),
        credentials: { own: { bearer: "${env:OPEN}" } },
        upstreams: { up: { url: upstream } },
      },
      closed: { tools: tools("closed"), credentials: { own: { bearer: "${env:OTHER}" } } },
      users: {
        auth: { apiKeys: true },
        tools: tools("each"),
        credentials: { own: { bearer: "${secret:own}", perUser: true } },
      },
    },
    {
      config: { admin: { token: "${env:ADMIN}", port: 0 }, stateKey: "a-state-key-of-at-least-32-characters" },
      options: { env, host: "127.0.0.1" },
    },
  );
  await local.gateway.storage.secrets.set("own", user, "ada");
  await local.gateway.storage.secrets.set("own", "canary-of-grace-herself", "grace");
  return local;
}

/** An upstream that repeats what it is sent, wherever a server can say something. */
function repeatingUpstream(): ReturnType<typeof createServer> {
  return createServer({
    name: "repeats",
    version: "1.0.0",
    tools: {
      echo: tool({
        input: { type: "object", properties: { text: { type: "string" } } },
        run: ({ text }: { text?: string }) => ({
          content: [{ type: "text", text: `Seen: ${text}` }],
          structuredContent: { seen: text },
        }),
      }),
      refuses: tool({
        input: { type: "object", properties: { text: { type: "string" } } },
        run({ text }: { text?: string }) {
          throw new RpcError(-32_000, `Refused: ${text}`, { data: { text } });
        },
      }),
    } as never,
    prompts: {
      seen: prompt({ arguments: { text: { required: false } }, get: ({ text }) => `Seen: ${text}` }),
    },
    resources: {
      seen: resource({ template: "docs://{text}", read: ({ text }) => `Seen: ${text}` }),
    },
  });
}

/**
 * Everything that a caller can see for a text: answers, errors, lists, statuses, and what the time of a call consists of: its steps,
 * its attempts, its bytes and its requests to the API. Ids and times are the same for all.
 */
async function look(local: LocalGateway, api: SimulatedApi, text: string): Promise<string> {
  const key = await local.key({ principal: "grace" });
  const seen: unknown[] = [];
  const [before, sent] = [local.records.length, api.requests.length];
  const ask = async (slug: string, method: string, params: object, headers: Record<string, string>): Promise<void> => {
    const response = await local.post(slug, { jsonrpc: "2.0", id: 1, method, params }, headers);
    seen.push([response.status, headersOf(response), await response.text()]);
  };
  for (const [slug, names, headers] of [
    ["open", ["fails", "plain", "result", "image", "mine", "echo", "refuses", text], {}],
    ["users", ["fails", "result", "each", text], key],
  ] as const) {
    for (const name of names) await ask(slug, "tools/call", { name, arguments: { text } }, headers);
    await ask(slug, "tools/call", { name: "fails", arguments: { text: 1, [text]: text } }, headers);
    await ask(slug, "tools/list", {}, headers);
  }
  await ask("open", "prompts/get", { name: "seen", arguments: { text } }, {});
  await ask("open", "resources/read", { uri: `docs://${encodeURIComponent(text)}` }, {});
  await ask("open", "prompts/list", {}, {});
  await ask("users", "tools/list", {}, { authorization: `Bearer ${text.replaceAll(/[^!-~]/g, "")}` });
  await ask("users", "tools/list", {}, { "x-api-key": text.replaceAll(/[^!-~]/g, "") });
  const guess = await fetch(`${local.gateway.adminUrl}/api/servers`, {
    headers: { authorization: `Bearer x${text.replaceAll(/[^!-~]/g, "")}` },
  });
  seen.push([guess.status, headersOf(guess), await guess.text()]);
  const work = local.records.slice(before).map((record) => {
    const { outcome, rpcCode, httpStatus, attempts, requestBytes, responseBytes, isTruncated, steps } = record;
    return [outcome, rpcCode, httpStatus, attempts, requestBytes, responseBytes, isTruncated, Object.keys(steps)];
  });
  const asked = api.requests.slice(sent).map(({ method, target, body }) => [method, target, body]);
  return JSON.stringify([seen, work, asked]);
}

/** All headers but the time. */
function headersOf(response: Response): readonly (readonly [string, string])[] {
  return [...response.headers].filter(([name]) => name !== "date");
}

const secretText = fc
  .string({ minLength: 8, maxLength: 32, unit: fc.constantFrom(...ALPHABET, ...Array.from('-_ &"%/+=é')) })
  .map((text) => `k${text.trim().padEnd(8, "x")}`);

/** How a guess may be written. */
const WAYS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => encodeURIComponent(text),
  (text) => Buffer.from(text).toString("base64"),
  (text) => Buffer.from(text).toString("hex"),
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;"),
];

describe("nothing that a caller sees depends on a secret that is not theirs", () => {
  test("whatever text it is in: two gateways that differ in these secrets alone answer alike", async () => {
    await using api = await repeatingApi();
    const upstream = await overHttp(repeatingUpstream());
    const guesses = fc.record({
      which: fc.constantFrom<keyof World>("other", "user", "admin"),
      write: fc.constantFrom(...WAYS),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      before: fc.string({ maxLength: 10 }),
    });
    const worlds = fc.record({ other: secretText, user: secretText, admin: secretText });
    const different = { other: "another-secret-entirely", user: "a-token-unlike-it", admin: "no-such-admin-token" };
    await fc.assert(
      fc.asyncProperty(worlds, fc.array(guesses, { minLength: 3, maxLength: 3 }), async (world, tries) => {
        await using one = await openWorld(api.url, upstream, world);
        await using two = await openWorld(api.url, upstream, different);
        for (const { which, write, share, before } of tries) {
          const secret = world[which];
          const guess = write(secret.slice(0, Math.ceil(share * secret.length)));
          for (const text of [`${before}${guess}`, `${before}${write(secret)} behind it`]) {
            expect(await look(one, api, text)).toBe(await look(two, api, text));
          }
        }
      }),
      { numRuns: 2 },
    );
  });

  test("so that guessing it character by character, at the end of an error, finds nothing", async () => {
    await using api = await repeatingApi();
    const secret = "sk_live_4ec39hqlyjwdarjtt1zdp7dc";
    const world = { other: secret, user: secret, admin: secret };
    await using local = await openWorld(api.url, await overHttp(repeatingUpstream()), world);
    const found: string[] = [];
    const known = secret.slice(0, 10);
    for (const next of ALPHABET) {
      const { text } = await local.call("open", "fails", { text: known + next });
      if (text !== `Error: Upstream API returned 404 - City not found: ${known}${next}`) found.push(next);
    }
    expect(found).toEqual([]);
    const { text } = await local.call("open", "fails", { text: secret });
    expect(text).toBe(`Error: Upstream API returned 404 - City not found: ${secret}`);
    // The operator's log is cleared of it all the same.
    expect(local.records.at(-1)?.error).toBe("Error: Upstream API returned 404 - City not found: [secret]");
  });

  test("and a guess of the server's own credential looks the same whether it is right or wrong", async () => {
    await using api = await repeatingApi();
    const world = { other: "canary-of-another", user: "canary-of-ada-alone", admin: "canary-of-the-admin" };
    await using local = await openWorld(api.url, await overHttp(repeatingUpstream()), world);
    const right = "canary-of-this-server";
    const wrong = "canary-of-this-servex";
    for (const write of WAYS) {
      const { text } = await local.call("open", "mine", { text: write(right) });
      const other = await local.call("open", "mine", { text: write(wrong) });
      expect(text).toBe(other.text?.replaceAll(write(wrong), write(right)));
    }
  });
});
