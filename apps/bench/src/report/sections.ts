/** The parts of a report, in order; how they look on a terminal or in a file is not decided here. */
import type { Growth } from "../measure/growth.ts";
import type { Results } from "../measure/results.ts";
import { formatCount, formatMemory, formatMs, formatSize, formatSpread } from "./format.ts";
import { tabulateRaces } from "./race-table.ts";
import type { Table } from "./table.ts";

/** A heading, what has to be known to read the table, and the table. */
export interface Section {
  readonly title: string;
  readonly text: string;
  readonly table: Table;
  /** The file name of a plot of the same figures. */
  readonly plot?: string;
}

const SERVER_NAMES = ["toolwire", "v2", "v1", "fastmcp", "mcp-lite", "tmcp", "raw"];
const CLIENT_NAMES = ["toolwire", "v2", "v1", "undici", "fetch", "raw"];

/** Everything that was measured. */
export function describeResults(results: Results, hasSpread: boolean): Section[] {
  return [
    ...describeServers(results, hasSpread),
    ...describeClients(results, hasSpread),
    ...describeAuthorization(results),
    ...describeStartup(results),
    ...describeMemory(results),
    ...describeBundles(results),
    ...describeInstallations(results),
    ...describeTypeChecking(results),
    ...results.growth.map(describeGrowth),
  ];
}

function describeServers({ servers }: Results, hasSpread: boolean): Section[] {
  if (servers.length === 0) return [];
  return [
    {
      title: "Servers",
      text:
        "Calls per second as a multiple of `raw`, which parses a message, looks at its id and method and stringifies an " +
        "answer. c: connections with one call in flight on each; w: calls in flight on one connection.",
      table: tabulateRaces(servers, { label: "scenario", baseline: "raw", names: SERVER_NAMES, hasSpread }),
    },
  ];
}

function describeClients({ clients }: Results, hasSpread: boolean): Section[] {
  if (clients.length === 0) return [];
  return [
    {
      title: "Clients",
      text:
        "Calls per second against a canned server, as a multiple of a bare client: over HTTP, `http.request` with a " +
        "keep-alive agent.",
      table: tabulateRaces(clients, { label: "scenario", baseline: "bare", names: CLIENT_NAMES, hasSpread }),
    },
  ];
}

const AUTHORIZATION_SHARE = 0.9;

function describeAuthorization({ authorization }: Results): Section[] {
  if (authorization === undefined) return [];
  return [
    {
      title: "Authorization",
      text:
        "The same calls with the same JWT over HTTP, to a server with `auth: protect({ … })` and to one that ignores the token. " +
        "The protected one has verified it before, as for all but the first request of a client.",
      table: {
        header: ["connections", "without, calls/s", "protected, calls/s", "x without", "target, x without"],
        rows: authorization.map(({ connections, open, protected: guarded, ratio }) => [
          String(connections),
          formatCount(open.median),
          formatCount(guarded.median),
          formatSpread(ratio),
          `at least ${AUTHORIZATION_SHARE}: ${ratio.median >= AUTHORIZATION_SHARE ? "yes" : "no"}`,
        ]),
      },
    },
  ];
}

const STARTUP_LIMIT = 1.25;

function describeStartup({ startup }: Results): Section[] {
  if (startup === undefined) return [];
  return [
    {
      title: "Start-up",
      text:
        "From spawning a stdio server to its first answer to `tools/list`, and what the imports alone take. " +
        "`toolwire-json` describes its tools in plain JSON Schema; the others load zod.",
      table: {
        header: ["server", "first answer", "x bare script", "imports", "target, x bare script"],
        rows: startup.map(({ name, note, answer, ratio, imports }) => [
          note === undefined ? name : `${name} [${note}]`,
          formatMs(answer.median),
          formatSpread(ratio),
          imports === undefined ? "" : formatMs(imports.median),
          name === "toolwire-json" ? `at most ${STARTUP_LIMIT}: ${ratio.median <= STARTUP_LIMIT ? "yes" : "no"}` : "",
        ]),
      },
    },
  ];
}

const SESSION_LIMIT = 4 * 1024;

function describeMemory({ memory }: Results): Section[] {
  if (memory === undefined) return [];
  return [
    {
      title: "Memory",
      text: "An HTTP server that nobody has called, and what each of a thousand legacy sessions adds to its heap.",
      table: {
        header: ["server", "idle heap", "idle resident", "heap per session", "target"],
        rows: memory.map(({ name, idleHeap, idleResident, heapPerSession }) => [
          name,
          formatMemory(idleHeap),
          formatMemory(idleResident),
          heapPerSession === undefined ? "" : formatMemory(heapPerSession),
          name === "toolwire" && heapPerSession !== undefined
            ? `at most ${formatMemory(SESSION_LIMIT)}: ${heapPerSession <= SESSION_LIMIT ? "yes" : "no"}`
            : "",
        ]),
      },
    },
  ];
}

function describeBundles({ serverBundles = [], clientBundles = [] }: Results): Section[] {
  const bundles = [
    ...serverBundles.map((bundle) => ({ ...bundle, what: "server over HTTP" })),
    ...clientBundles.map((bundle) => ({ ...bundle, what: "client over HTTP" })),
  ];
  if (bundles.length === 0) return [];
  return [
    {
      title: "Bundle size",
      text: "Everything that a program may ever load, bundled by esbuild as one file: in Toolwire, both eras and the JSON Schema validator, which the target leaves out.",
      table: {
        header: ["bundle", "minified", "and gzip", "target"],
        rows: bundles.map(({ name, what, minified, gzipped, limit }) => [
          `${what}: ${name}`,
          formatSize(minified),
          formatSize(gzipped),
          limit === undefined ? "" : `at most ${formatSize(limit)}: ${gzipped <= limit ? "yes" : "no"}`,
        ]),
      },
    },
  ];
}

function describeInstallations({ installations }: Results): Section[] {
  if (installations === undefined) return [];
  return [
    {
      title: "Installed size",
      text: "What `npm install` brings along: packages, the ones asked for included, and bytes on disk.",
      table: {
        header: ["installed", "packages", "size"],
        rows: installations.map(({ name, packages, bytes }) => [name, String(packages), formatSize(bytes)]),
      },
    },
  ];
}

const TYPES_LIMIT = 1.5;

function describeTypeChecking({ typeChecking }: Results): Section[] {
  if (typeChecking === undefined) return [];
  return [
    {
      title: "Type-checking",
      text: "`tsc --noEmit` on a program with 50 tools, each with an input and an output schema in zod.",
      table: {
        header: ["program", "time", "x zod alone", "instantiations", "types", "memory", "target, x zod alone"],
        rows: typeChecking.map(({ name, seconds, ratio, instantiations, types, memory }) => [
          name,
          `${seconds.median.toFixed(2)} s`,
          formatSpread(ratio),
          formatCount(instantiations),
          formatCount(types),
          formatMemory(memory),
          name === "toolwire" ? `at most ${TYPES_LIMIT}: ${ratio.median <= TYPES_LIMIT ? "yes" : "no"}` : "",
        ]),
      },
    },
  ];
}

function describeGrowth({ id, title, of, memoryTitle, points, series }: Growth): Section {
  return {
    title: `Growth: ${title}`,
    text: `Calls per second, and ${memoryTitle}.`,
    plot: `${id}.svg`,
    table: {
      header: [of, ...points.map(formatCount)],
      rows: series.flatMap(({ name, rates, memory }) => [
        [`${name}, calls/s`, ...rates.map((rate) => (rate === undefined ? "" : formatCount(rate)))],
        [`${name}, ${memoryTitle}`, ...memory.map((bytes) => (bytes === undefined ? "" : formatMemory(bytes)))],
      ]),
    },
  };
}

/** The table of the project's README: the races with a target, and nothing but ours. */
export function summarizeTargets({ servers, clients }: Results): Table {
  const { header, rows } = tabulateRaces(
    [...servers, ...clients.map((race) => ({ ...race, title: `client over ${race.title}` }))].filter(
      ({ target }) => target !== undefined,
    ),
    { label: "scenario", baseline: "raw", names: ["toolwire"], hasSpread: false },
  );
  return { header: header.map((cell) => (cell === "toolwire" ? "x raw" : cell)), rows };
}
