import { describe, expect, test } from "vitest";
import { accessControl, createServer, resource, type AccessRule, type AccessSubject } from "../../src/index.ts";
import { LegacyClient, ModernClient } from "../wire-client.ts";

function guarded(allows: AccessRule) {
  return createServer({
    name: "guarded",
    version: "1",
    middleware: [accessControl(allows)],
    resources: {
      about: resource({ uri: "docs://about", read: () => "about" }),
      note: resource({
        template: "notes://{id}",
        complete: { id: () => ["open"] },
        list: () => ["secret", "s%65cret", "open", "op%65n"].map((id) => ({ uri: `notes://${id}`, name: "any" })),
        read: ({ id }) => `note ${id}`,
      }),
      file: resource({ template: "files://{+path}", read: ({ path }) => `file ${path}` }),
      find: resource({ template: "find://{index}{?q,kind}", read: ({ q }) => `found ${q}` }),
    },
  });
}

const DENIED = ["notes://secret", "files://private/key", "find://notes?q=a&kind=b"];

/** Other ways to write the same. */
const DISGUISES = [
  "notes://s%65cret",
  "notes://%73%65%63%72%65%74",
  "files://p%72ivate/key",
  "files://private%2Fkey",
  "files://private%2fkey",
  "find://notes?kind=b&q=a",
  "find://n%6ftes?kind=%62&q=a",
];

describe("an access rule gets what is served, not what the caller wrote", () => {
  const server = guarded((subject) => subject.kind !== "resource" || !DENIED.includes(subject.uri));
  const modern = new ModernClient(server);

  test.each([...DENIED, ...DISGUISES])("%s is neither read nor watched", async (uri) => {
    await expect(modern.request("resources/read", { uri })).rejects.toMatchObject({ code: -32602, data: { uri } });
    modern.start("subscriptions/listen", { notifications: { resourceSubscriptions: [uri, "notes://open"] } });
    const count = modern.notifications("notifications/subscriptions/acknowledged").length + 1;
    const { params } = await modern.notification("notifications/subscriptions/acknowledged", count);
    expect(params.notifications.resourceSubscriptions).toStrictEqual(["notes://open"]);
    const legacy = await LegacyClient.open(server);
    await expect(legacy.request("resources/read", { uri })).rejects.toMatchObject({ code: -32002 });
    await expect(legacy.request("resources/subscribe", { uri })).rejects.toMatchObject({ code: -32002 });
  });

  test("a resource that is allowed is served in any disguise", async () => {
    const read = await modern.request("resources/read", { uri: "notes://op%65n" });
    expect(read.contents).toMatchObject([{ uri: "notes://op%65n", text: "note open" }]);
  });

  test("lists agree with what can be read", async () => {
    const { resources } = await modern.request("resources/list");
    const uris = resources.map(({ uri }: { uri: string }) => uri);
    expect(uris).toStrictEqual(["docs://about", "notes://open", "notes://op%65n"]);
  });
});

test("an access rule gets the names of definitions and the values that `read` gets", async () => {
  const asked: AccessSubject[] = [];
  const client = new ModernClient(
    guarded((subject) => {
      asked.push(subject);
      return true;
    }),
  );
  await client.request("resources/read", { uri: "docs://about" });
  await client.request("resources/read", { uri: "files://a%20b/%63" });
  await expect(client.request("resources/read", { uri: "none://s%65cret" })).rejects.toMatchObject({ code: -32602 });
  const ref = { type: "ref/resource", uri: "notes://{id}" };
  await client.request("completion/complete", { ref, argument: { name: "id", value: "" } });
  expect(asked).toEqual([
    { kind: "resource", uri: "docs://about", name: "about" },
    { kind: "resource", uri: "files://a%20b/c", name: "file", values: { path: "a b/c" } },
    { kind: "resource", uri: "none://s%65cret" },
    { kind: "template", uri: "notes://{id}", name: "note" },
  ]);
  asked.length = 0;
  await client.request("resources/templates/list");
  expect(asked.map((subject) => subject.kind !== "prompt" && subject.name)).toEqual(["note", "file", "find"]);
});

describe("an access rule about subscriptions", () => {
  test("is asked once for each resource, and about no more of them than one stream may watch", async () => {
    const asked: string[] = [];
    const client = new ModernClient(
      guarded((subject) => {
        if (subject.kind === "resource") asked.push(subject.uri);
        return true;
      }),
    );
    const uris = Array.from({ length: 1500 }, (_, index) => `notes://${index}`);
    const doubled = [...Array.from({ length: 100_000 }, () => "notes://0"), ...uris];
    client.start("subscriptions/listen", { notifications: { resourceSubscriptions: doubled } });
    const { params } = await client.notification("notifications/subscriptions/acknowledged");
    expect(params.notifications.resourceSubscriptions).toEqual(uris.slice(0, 1000));
    expect(asked).toEqual(uris.slice(0, 1000));
    await client.disconnect();
  });

  test("is not asked at all if the request is malformed", async () => {
    let isAsked = false;
    const client = new ModernClient(guarded(() => (isAsked = true)));
    const notifications = { resourceSubscriptions: ["notes://open", 1] };
    await expect(client.request("subscriptions/listen", { notifications })).rejects.toMatchObject({ code: -32602 });
    expect(isAsked).toBe(false);
    await client.disconnect();
  });
});
