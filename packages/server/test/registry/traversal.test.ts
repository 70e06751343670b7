import { expect, test } from "vitest";
import { createServer, resource } from "../../src/index.ts";
import { ModernClient } from "../wire-client.ts";

const server = createServer({
  name: "files",
  version: "1",
  resources: {
    below: resource({ template: "file:///srv/docs/{+path}", read: ({ path }) => `below ${path}` }),
    anywhere: resource({ template: "file:///{+path}", read: ({ path }) => `anywhere ${path}` }),
    notes: resource({ template: "notes:{+path}", read: ({ path }) => `note ${path}` }),
  },
});

const docs = createServer({
  name: "docs",
  version: "1",
  resources: { below: resource({ template: "file:///srv/docs/{+path}", read: ({ path }) => `below ${path}` }) },
});

async function read(uri: string, from = server): Promise<unknown> {
  const client = new ModernClient(from);
  return client.request("resources/read", { uri }).then(
    ({ contents }) => contents[0].text as unknown,
    ({ code }) => code as unknown,
  );
}

test.each([
  ["file:///srv/docs/a/b.txt", "below a/b.txt"],
  ["notes:/daily", "note /daily"],
  ["file:///etc/hosts", "anywhere etc/hosts"],
])("%s is read as %s", async (uri, text) => {
  expect(await read(uri)).toBe(text);
});

test.each(["file:///srv/docs/../../etc/passwd", "file:///srv/docs/a/%2E%2E/%2E%2E/b", "file:///srv/docs/a%00b"])(
  "%s leads out of its directory, and is not found",
  async (uri) => {
    expect(await read(uri)).toBe(-32602);
  },
);

test.each(["file:///srv/docs//etc/passwd", "file:///srv/docs/%2Fetc%2Fpasswd", "file:///srv/docs/C:/Windows/win.ini"])(
  "%s would replace its directory by an absolute path, and is not found",
  async (uri) => {
    expect(await read(uri, docs)).toBe(-32602);
  },
);
