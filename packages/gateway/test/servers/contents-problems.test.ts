import { expect, test } from "vitest";
import { describeProblem } from "../../src/config/problem.ts";
import type { OpenApiConfig, ServerConfig } from "../../src/config/config.ts";
import { sourcesOf } from "../../src/config/load-config.ts";
import { inspectServers } from "../../src/servers/inspect-servers.ts";
import { openMemoryStorage } from "../../src/storage/memory-storage.ts";
import { startLocal } from "../local-gateway.ts";

const TOOL = { description: "d", request: { method: "GET", url: "https://x.example/" } } as const;

/** A document with operations of these ids, the last of which is deprecated. */
function documentOf(...ids: string[]): OpenApiConfig["document"] {
  const last = ids.at(-1);
  return {
    openapi: "3.1.0",
    info: { title: "Shop", version: "1" },
    components: { securitySchemes: { key: { type: "http", scheme: "bearer" } } },
    paths: Object.fromEntries(
      ids.map((id) => [`/${id}`, { get: { operationId: id, security: [{ key: [] }], deprecated: id === last } }]),
    ),
  };
}

async function inspect(server: ServerConfig, partial: readonly string[] = []) {
  const storage = openMemoryStorage();
  const config = { version: 1, servers: { s: server } } as const;
  const found = await inspectServers(
    { config, partial: new Set(partial) },
    sourcesOf(import.meta.dirname, {}),
    storage,
  );
  await found.close();
  await storage.close();
  return { lines: found.problems.map(describeProblem), leftOut: found.contents.get("s")?.leftOut };
}

test("overrides and access rules that fit no tool are warnings with the nearest name", async () => {
  const { lines } = await inspect({
    tools: { get_weather: TOOL, get_time: TOOL },
    overrides: { get_wether: { title: "x" }, get_time: {} },
    access: [
      { tools: ["get_*", "delete_*"], allow: true },
      { tools: ["get_tme"], allow: false },
    ],
  });
  expect(lines).toEqual([
    'warning: servers.s.overrides.get_wether: This server has no tool of this name. Did you mean "get_weather"?',
    "warning: servers.s.access[0].tools[1]: No tool has this name.",
    'warning: servers.s.access[1].tools[0]: No tool has this name. Did you mean "get_time"?',
  ]);
});

test("what nobody can know is not judged: tools of upstreams, and of parts with mistakes", async () => {
  const server = { tools: { t: TOOL }, overrides: { other: {} } } as const;
  expect((await inspect(server)).lines).toHaveLength(1);
  expect((await inspect(server, ["s"])).lines).toEqual([]);
  const behind = { upstreams: { u: { url: "https://x.example/" } }, overrides: { other: {} } };
  expect((await inspect(behind)).lines).toEqual([]);
});

test("a server without any tool is an error, and a warning if it rests", async () => {
  const nothing = expect.stringMatching(/^error: servers\.s: This server offers nothing/) as string;
  expect((await inspect({})).lines).toEqual([nothing]);
  expect((await inspect({ tools: {}, overrides: { x: {} }, access: [{ tools: ["x"], allow: true }] })).lines).toEqual([
    nothing,
  ]);
  for (const status of ["paused", "draft"] as const) {
    expect((await inspect({ status })).lines).toEqual([expect.stringMatching(/^warning: servers\.s: /)]);
  }
});

test("a document none of whose operations is a tool is an error that is said once", async () => {
  const { lines } = await inspect({
    openapi: { document: documentOf("a", "b") },
    credentials: { key: { bearer: "x" } },
  });
  expect(lines.filter((line) => line.startsWith("error"))).toEqual([
    expect.stringMatching(/^error: servers\.s\.openapi: None of 2 operations became a tool/),
  ]);
  // Other tools of the server do not make it right.
  const beside = await inspect({ tools: { t: TOOL }, openapi: { document: documentOf("a", "b") } });
  expect(beside.lines.filter((line) => line.startsWith("error"))).toHaveLength(1);
});

test("a credential that nothing uses is a warning", async () => {
  const unused = (lines: readonly string[]): readonly (string | undefined)[] =>
    lines.flatMap((line) => /credentials\.(\w+): Nothing uses/.exec(line)?.slice(1) ?? []);
  const [one, two] = [{ bearer: "x" }, { bearer: "y" }];
  const named = { ...TOOL, credential: "one" };
  const openapi = { document: documentOf("a", "b"), baseUrl: "https://x.example" };
  expect(unused((await inspect({ tools: { t: named }, credentials: { one, two } })).lines)).toEqual(["two"]);
  expect(unused((await inspect({ tools: { t: TOOL }, credentials: { one } })).lines)).toEqual([]);
  expect(
    unused((await inspect({ tools: { t: { ...TOOL, credential: "none" } }, credentials: { one } })).lines),
  ).toEqual(["one"]);
  expect(unused((await inspect({ openapi, credentials: { key: one, two } })).lines)).toEqual(["two"]);
  expect(unused((await inspect({ openapi, credentials: { whatever: one } })).lines)).toEqual([]);
  const upstreams = { u: { url: "https://x.example/" } };
  const { lines } = await inspect({ upstreams, credentials: { one } });
  expect(lines).toEqual([expect.stringContaining("Upstreams have `headers`, `env` and `auth` of their own.")]);
});

test("entries of filters that match no operation are found where they are", async () => {
  const openapi = {
    document: documentOf("list_a", "list_b"),
    baseUrl: "https://x.example",
    include: { operations: ["list_*", "lst_a"], tags: ["list_*"] },
    exclude: { paths: ["/gone"] },
  };
  const { lines } = await inspect({ openapi, credentials: { key: { bearer: "x" } } });
  expect(lines).toContainEqual(
    expect.stringMatching(/include\.operations\[1\]: "lst_a" matches no operation\. Did you mean "list_a"\?/),
  );
  expect(lines).toContainEqual(expect.stringMatching(/exclude\.paths\[0\]: "\/gone" matches no operation/));
});

test("operations that are left out are grouped by reason, and what the author left out is told from the rest", async () => {
  const { leftOut } = await inspect({
    openapi: {
      document: documentOf("a", "b", "c", "old"),
      baseUrl: "https://x.example",
      exclude: { operations: ["b", "c"] },
    },
    credentials: { key: { bearer: "x" } },
  });
  expect(leftOut).toEqual([
    { kind: "choice", reason: "`exclude` leaves it out.", operations: ["GET /b", "GET /c"] },
    { kind: "deprecated", reason: "It is deprecated.", operations: ["GET /old"] },
  ]);
});

test("a document that cannot be read is an error at its place, and does not hide the other servers", async () => {
  const storage = openMemoryStorage();
  const config = {
    version: 1,
    servers: {
      folder: { openapi: { document: "." } },
      empty: { openapi: { document: { openapi: "9" } } },
      none: {},
    },
  } as const;
  const found = await inspectServers({ config, partial: new Set() }, sourcesOf(import.meta.dirname, {}), storage);
  await found.close();
  await storage.close();
  expect(found.problems.map(describeProblem)).toEqual([
    expect.stringMatching(/^error: servers\.folder\.openapi\.document: The document cannot be read: EISDIR/),
    expect.stringMatching(/^error: servers\.empty\.openapi: /),
    expect.stringMatching(/^error: servers\.none: /),
  ]);
});

test("a gateway tells its operator of such problems once, and serves what it can", async () => {
  const server = { tools: { t: TOOL }, overrides: { other: {} } };
  await using local = await startLocal({ s: server, empty: {} });
  const told = (): readonly string[] =>
    local.events.map(({ level, server: slug, message }) => `${level} ${slug}: ${message}`);
  const first = [
    "warning s: warning: servers.s.overrides.other: This server has no tool of this name.",
    "error empty: error: servers.empty: This server offers nothing. Give it `tools`, `openapi` or `upstreams`.",
  ];
  expect(told()).toEqual(first);
  expect(local.gateway.server("s")?.problems).toEqual(["overrides.other: This server has no tool of this name."]);
  await local.gateway.reload(local.gateway.config);
  expect(told()).toEqual(first);
  const fixed = { ...local.gateway.config, servers: { s: { tools: { t: TOOL } }, empty: {} } };
  await local.gateway.reload(fixed);
  await local.gateway.reload({ ...fixed, servers: { ...fixed.servers, s: server } });
  expect(told()).toEqual([...first, first[0]]);
});
