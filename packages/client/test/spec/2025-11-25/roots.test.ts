/** client/roots of 2025-11-25: where servers may work. */
import type { ClientDiagnostic } from "@toolwire/client";
import { expect, test } from "vitest";
import { isCall } from "../../scripted-server.ts";
import { connected } from "./connected.ts";

test("changes MUST be announced by a client that has said it would", async () => {
  const roots = [{ uri: "file:///a", name: "A" }];
  const { server, client } = await connected({}, { roots: () => roots });
  roots.push({ uri: "file:///b", name: "B" });
  await client.rootsChanged();
  await server.arrival(isCall("notifications/roots/list_changed"));
  expect(await server.push("roots/list")).toMatchObject({ result: { roots } });
});

test.each([
  "https://example.com",
  "/home/me",
  "file:///home/me/..",
  "file:///home/me/../you",
  "file:///home/me/%2e%2E/you",
  "file:///home/me/..\\you",
])("URIs MUST be `file:` ones, and MUST NOT lead out of where they seem to be: %s is not sent", async (uri) => {
  const events: ClientDiagnostic[] = [];
  const { server } = await connected({}, { roots: [{ uri }], onDiagnostic: (event) => events.push(event) });
  const answer = await server.push("roots/list");
  expect(answer).toMatchObject({ error: { code: -32603 } });
  expect(JSON.stringify(answer)).not.toContain(uri);
  expect(events).toMatchObject([{ error: { message: expect.stringContaining(uri) as string } }]);
});

test.each(["file:///home/me/..data", "file:///home/me/a..b/.git", "file:///C:/Users/me", "file://host/share/"])(
  "a root that merely has dots in it is sent: %s",
  async (uri) => {
    const { server } = await connected({}, { roots: [{ uri }] });
    expect(await server.push("roots/list")).toMatchObject({ result: { roots: [{ uri }] } });
  },
);

test("without roots -32601 SHOULD be returned, and -32603 for internal errors", async () => {
  const { server: without } = await connected();
  expect(await without.push("roots/list")).toMatchObject({ error: { code: -32601 } });
  const { server: failing } = await connected(
    {},
    {
      roots: () => {
        throw new Error("disk on fire");
      },
    },
  );
  expect(await failing.push("roots/list")).toMatchObject({ error: { code: -32603, message: "Internal error" } });
});
