/** client/elicitation of 2025-11-25: forms to fill in and pages to visit. */
import type { ConnectOptions, ClientDiagnostic } from "@toolwire/client";
import { RpcError } from "@toolwire/protocol";
import { expect, test } from "vitest";
import { listen } from "../../transports/http/listen.ts";
import { withResolvers } from "../../with-resolvers.ts";
import { connected, responsesTo } from "./connected.ts";

const FORM = {
  message: "Who?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
};

const LINK = { mode: "url", message: "Go there", url: "https://example.com/a?b", elicitationId: "e1" };

test("a request without a mode MUST be treated as one for a form", async () => {
  const { server } = await connected(
    {},
    {
      elicitation: {
        form: () => ({ action: "accept", content: { name: "Ada" } }),
        url: () => ({ action: "cancel" }),
      },
    },
  );
  for (const form of [FORM, { ...FORM, mode: "form" }]) {
    expect(await server.push("elicitation/create", form)).toMatchObject({
      result: { action: "accept", content: { name: "Ada" } },
    });
  }
});

test.each<[string, ConnectOptions["elicitation"], object]>([
  ["a form", { url: () => ({ action: "accept" }) }, FORM],
  ["a page", { form: () => ({ action: "accept" }) }, LINK],
  ["what nobody knows", { form: () => ({ action: "accept" }) }, { ...FORM, mode: "telepathy" }],
])("a mode that was not declared MUST be refused with -32602: %s", async (_, elicitation, params) => {
  const { server } = await connected({}, { elicitation });
  expect(await server.push("elicitation/create", params)).toMatchObject({ error: { code: -32602 } });
});

test.each([
  { ...FORM, message: undefined },
  { ...FORM, message: 5 },
  { ...FORM, requestedSchema: undefined },
  { ...FORM, requestedSchema: { type: "object", properties: { name: null } } },
  { ...LINK, message: undefined },
  { ...LINK, url: "javascript:alert(1)" },
])("a malformed request is refused with -32602, and the user is not asked: %j", async (params) => {
  let asked = 0;
  const handler = () => (asked++, { action: "accept" as const });
  const { server } = await connected({}, { elicitation: { form: handler, url: handler } });
  expect(await server.push("elicitation/create", params)).toMatchObject({ error: { code: -32602 } });
  expect(asked).toBe(0);
});

test.each([null, "https://example.com", { ...LINK, message: undefined }, { ...LINK, url: "javascript:alert(1)" }])(
  "a page that is no proper one leaves the call with the error of its server: %j",
  async (page) => {
    const { client } = await connected(
      {
        "tools/call": () => {
          throw new RpcError(-32042, "Go there first", { data: { elicitations: [page] } });
        },
      },
      { elicitation: { url: () => ({ action: "accept" }) } },
    );
    await expect(client.callTool("t")).rejects.toMatchObject({ code: -32042, message: "Go there first" });
  },
);

test("the handler MUST be able to tell which server asks", async () => {
  const asking: unknown[] = [];
  const { server } = await connected(
    {},
    {
      elicitation: {
        form: (_, context) => (asking.push(context.server), { action: "decline" }),
        url: (_, context) => (asking.push(context.server), { action: "decline" }),
      },
    },
  );
  await server.push("elicitation/create", FORM);
  await server.push("elicitation/create", LINK);
  expect(asking).toStrictEqual([
    { name: "legacy", version: "1.0.0" },
    { name: "legacy", version: "1.0.0" },
  ]);
});

test.each(["decline", "cancel"] as const)("the user MUST be able to %s, which sends nothing else", async (action) => {
  const content = { name: "half typed" };
  const { server } = await connected(
    {},
    { elicitation: { form: () => ({ action, content }), url: () => ({ action }) } },
  );
  for (const params of [FORM, LINK]) {
    expect(await server.push("elicitation/create", params)).toMatchObject({ result: { action } });
  }
  expect(JSON.stringify(server.received)).not.toContain("half typed");
});

test("answers SHOULD be validated against the form: one that does not fit is not sent", async () => {
  const events: ClientDiagnostic[] = [];
  const { server } = await connected(
    {},
    {
      elicitation: () => ({ action: "accept", content: { name: 5 } }),
      onDiagnostic: (event) => events.push(event),
    },
  );
  expect(await server.push("elicitation/create", FORM)).toMatchObject({ error: { code: -32603 } });
  expect(events).toMatchObject([
    { error: { message: expect.stringContaining("name: expected a string, got number") as string } },
  ]);
});

test("a page is agreed to without content, its id is opaque, and it MUST NOT be fetched", async () => {
  const { url, seen } = await listen((_, response) => response.end());
  const elicitationId = ' {"opaque":"\u00e9"}\t=';
  const shown: unknown[] = [];
  const { server } = await connected(
    {},
    { elicitation: { url: (link) => (shown.push(link.url, link.elicitationId), { action: "accept" }) } },
  );
  server.send({ jsonrpc: "2.0", id: "q", method: "elicitation/create", params: { ...LINK, url, elicitationId } });
  await server.arrival((message) => !("method" in message));
  expect(responsesTo(server, "q")).toStrictEqual([{ jsonrpc: "2.0", id: "q", result: { action: "accept" } }]);
  expect(shown).toStrictEqual([url, elicitationId]);
  expect(seen).toStrictEqual([]);
});

test("completions of unknown and already completed ids MUST be ignored", async () => {
  const done: string[] = [];
  const completed = withResolvers<void>();
  const { server } = await connected(
    {},
    {
      elicitation: {
        url: (_, page) => {
          void page.completed.then(() => done.push("e1")).then(() => completed.resolve());
          return { action: "accept" };
        },
      },
    },
  );
  await server.push("elicitation/create", LINK);
  for (const elicitationId of ["e2", null, {}, undefined]) {
    server.notify("notifications/elicitation/complete", { elicitationId });
  }
  server.notify("notifications/elicitation/complete");
  await server.push("ping");
  expect(done).toStrictEqual([]);
  server.notify("notifications/elicitation/complete", { elicitationId: "e1" });
  await completed.promise;
  server.notify("notifications/elicitation/complete", { elicitationId: "e1" });
  await server.push("ping");
  expect(done).toStrictEqual(["e1"]);
});

test("a completion reaches all who wait for the page: calls that need the same visit go on together", async () => {
  let visits = 0;
  const isVisited = new Set<string>();
  const { server, client } = await connected(
    {
      "tools/call": (params) => {
        const name = params["name"] as string;
        if (isVisited.has(name)) return { content: [] };
        isVisited.add(name);
        throw new RpcError(-32042, "Go there first", { data: { elicitations: [LINK] } });
      },
    },
    {
      elicitation: {
        url: async (_, { completed }) => {
          if (++visits === 2) server.notify("notifications/elicitation/complete", { elicitationId: "e1" });
          await completed;
          return { action: "accept" };
        },
      },
    },
  );
  expect(await Promise.all([client.callTool("a"), client.callTool("b")])).toStrictEqual([
    { content: [] },
    { content: [] },
  ]);
});

test("rates SHOULD be limited: of more questions at once than anybody could answer, the rest is refused", async () => {
  let asked = 0;
  const release = withResolvers<void>();
  const { server } = await connected(
    {},
    {
      elicitation: async () => {
        asked++;
        await release.promise;
        return { action: "cancel" };
      },
    },
  );
  const answers = Array.from({ length: 101 }, () => server.push("elicitation/create", FORM));
  expect(await answers[100]).toMatchObject({
    error: { code: -32603, message: expect.stringMatching(/100/) as string },
  });
  expect(await server.push("ping")).toMatchObject({ result: {} });
  expect(asked).toBe(100);
  release.resolve();
  await Promise.all(answers);
  expect(await server.push("elicitation/create", FORM)).toMatchObject({ result: { action: "cancel" } });
});
