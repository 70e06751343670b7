/** Views in files, read again when they have changed. */
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createServer, tool } from "../../src/index.ts";
import { view, views } from "../../src/views/index.ts";
import { viewFile, watchViews } from "../../src/views/node/index.ts";
import { LegacyClient, ModernClient } from "../wire-client.ts";

const HTML = "<!doctype html><p>";

async function makeFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "views-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "chart.html");
  await writeFile(file, `${HTML}first`);
  return file;
}

function define(file: string | URL) {
  const apps = views();
  const server = createServer({
    name: "x",
    version: "1",
    onDiagnostic: () => undefined,
    extensions: [apps],
    tools: {
      show: tool({ view: viewFile(file, { uri: "ui://x/chart", prefersBorder: false }), run: () => "" }),
      other: tool({ view: view({ html: HTML }), run: () => "" }),
    },
  });
  return { apps, server };
}

test("a view is read from its file whenever a host asks", async () => {
  const file = await makeFile();
  const client = new ModernClient(define(pathToFileURL(file)).server);
  const read = async (): Promise<unknown> =>
    (await client.request("resources/read", { uri: "ui://x/chart" })).contents[0];
  expect(await read()).toMatchObject({ text: `${HTML}first`, _meta: { ui: { prefersBorder: false } } });
  await writeFile(file, `${HTML}second`);
  expect(await read()).toMatchObject({ text: `${HTML}second` });
});

test("the path of a file that cannot be read is not told to clients", async () => {
  const client = new ModernClient(define(join(tmpdir(), "no-such-view.html")).server);
  const error: unknown = await client.request("resources/read", { uri: "ui://x/chart" }).catch((each: unknown) => each);
  expect(String(error)).not.toContain("no-such-view");
});

test("hosts that subscribe to a view hear when its file is written or replaced", async () => {
  const file = await makeFile();
  const { apps, server } = define(file);
  const watched = watchViews(server, apps);
  onTestFinished(() => watched.close());
  const client = await LegacyClient.open(server);
  await client.request("resources/subscribe", { uri: "ui://x/chart" });
  await writeFile(file, `${HTML}second`);
  expect(await client.notification("notifications/resources/updated")).toMatchObject({
    params: { uri: "ui://x/chart" },
  });
  await writeFile(`${file}.new`, `${HTML}third`);
  await rename(`${file}.new`, file);
  await client.notification("notifications/resources/updated", 2);
});
