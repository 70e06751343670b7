/** The rows of the server table: every combination that can be asked for, and the targets of those that run by default. */
import {
  formatBytes,
  type Call,
  type ServerScenario,
  sizeId,
  type Target,
  type Variant,
  type Wiring,
} from "./scenario.ts";

const ECHO_SIZES = [100, 10_000, 1_000_000];

/** Our promises, by scenario. A scenario that has one is part of the default run. */
const TARGETS: Readonly<Record<string, Target>> = {
  "http-modern-json-echo-c16": { baseline: 0.8, v2: 7 },
  "http-modern-json-echo-c64": { baseline: 0.78, v2: 8 },
  "http-modern-json-echo-c1": { baseline: 0.85, v2: 5 },
  "http-modern-json-sum-c16": { baseline: 0.68, v2: 7 },
  "http-modern-json-echo-10kb-c16": { baseline: 0.78, v2: 5 },
  "http-modern-json-echo-1mb-c16": { baseline: 0.9, v2: 2 },
  "http-modern-json-echo-100tools-c16": { baseline: 0.72, v2: 18 },
  "http-modern-json-list-100tools-c16": { baseline: 3.8, v2: 120 },
  "http-modern-sse-echo-c16": { baseline: 0.78, v2: 7 },
  "http-stateless-json-echo-c16": { baseline: 0.75, v2: 7 },
  "http-session-json-echo-c64": { baseline: 0.78 },
  "http-session-sse-echo-c16": { baseline: 0.78 },
  "stdio-modern-echo-w64": { baseline: 1, v2: 9 },
  "stdio-modern-echo-w16": { baseline: 0.75, v2: 7 },
  "stdio-modern-echo-10kb-w16": { baseline: 0.88, v2: 2 },
  "stdio-modern-echo-1mb-w4": { baseline: 0.9 },
  "stdio-modern-list-100tools-w16": { baseline: 3.5, v2: 110 },
  "websocket-modern-echo-w64": { baseline: 1.1 },
  "websocket-modern-echo-s64": { baseline: 0.85 },
  "websocket-modern-echo-10kb-w16": { baseline: 1 },
  "memory-modern-echo-w64": { baseline: 4, v2: 80 },
};

/** Every server scenario there is, those of the default run first: those with a target in the order of the targets. */
export function serverScenarios(): ServerScenario[] {
  const order = Object.keys(TARGETS);
  const position = ({ id, target, isPublished }: ServerScenario): number => {
    if (target !== undefined) return order.indexOf(id);
    return isPublished === true ? order.length : order.length + 1;
  };
  return [
    ...httpScenarios(),
    ...stdioScenarios(),
    ...webSocketScenarios(),
    ...memoryScenarios(),
    ...variantScenarios(),
  ].toSorted((a, b) => position(a) - position(b));
}

function httpScenarios(): ServerScenario[] {
  const modes = [
    { id: "modern", title: "modern", era: "modern", sessions: false },
    { id: "stateless", title: "legacy stateless", era: "legacy", sessions: false },
    { id: "session", title: "legacy session", era: "legacy", sessions: true },
  ] as const;
  const scenarios: ServerScenario[] = [];
  for (const mode of modes) {
    for (const answers of ["json", "sse"] as const) {
      for (const { call, tools } of callsToTry()) {
        for (const connections of [1, 16, 64]) {
          scenarios.push(
            describe({
              prefix: ["http", mode.id, answers],
              heading: `HTTP ${mode.title}, ${answers === "json" ? "JSON" : "SSE"}`,
              wiring: { transport: "http", era: mode.era, sessions: mode.sessions, answers, tools },
              call,
              connections,
              inFlight: 1,
              load: `c${connections}`,
            }),
          );
        }
      }
    }
  }
  return scenarios;
}

function stdioScenarios(): ServerScenario[] {
  const scenarios: ServerScenario[] = [];
  for (const era of ["modern", "legacy"] as const) {
    for (const { call, tools } of callsToTry()) {
      for (const inFlight of [1, 4, 16, 64]) {
        scenarios.push(
          describe({
            prefix: ["stdio", era],
            heading: `stdio ${era}`,
            wiring: { transport: "stdio", era, sessions: false, answers: "json", tools },
            call,
            connections: 1,
            inFlight,
            load: `w${inFlight}`,
          }),
        );
      }
    }
  }
  return scenarios;
}

function webSocketScenarios(): ServerScenario[] {
  const loads = [
    { connections: 1, inFlight: 1, load: "w1" },
    { connections: 1, inFlight: 16, load: "w16" },
    { connections: 1, inFlight: 64, load: "w64" },
    { connections: 64, inFlight: 1, load: "s64" },
  ];
  return callsToTry().flatMap(({ call, tools }) =>
    loads.map(({ connections, inFlight, load }) =>
      describe({
        prefix: ["websocket", "modern"],
        heading: "WebSocket",
        wiring: { transport: "websocket", era: "modern", sessions: false, answers: "json", tools },
        call,
        connections,
        inFlight,
        load,
      }),
    ),
  );
}

/** The same call with tools that are made differently, so that no shape of a tool is a special case. */
function variantScenarios(): ServerScenario[] {
  const call: Call = { kind: "echo", bytes: 100 };
  const usual = { era: "modern", sessions: false, answers: "json", tools: 2 } as const;
  return (["json-schema", "middleware", "blocks"] as const).flatMap((variant) =>
    [
      describe({
        prefix: ["http", "modern", "json"],
        heading: "HTTP modern, JSON",
        wiring: { transport: "http", ...usual, variant },
        call,
        connections: 16,
        inFlight: 1,
        load: "c16",
      }),
      describe({
        prefix: ["stdio", "modern"],
        heading: "stdio modern",
        wiring: { transport: "stdio", ...usual, variant },
        call,
        connections: 1,
        inFlight: 64,
        load: "w64",
      }),
    ].map((scenario) => ({ ...scenario, isPublished: true })),
  );
}

const VARIANT_TITLES: Readonly<Record<Variant, string>> = {
  "json-schema": " by a tool in plain JSON Schema",
  middleware: " through a middleware",
  blocks: " in two content blocks",
};

/** Own client and server in one process. What is published is the honest pair: `raw` always turns messages into text. */
function memoryScenarios(): ServerScenario[] {
  const usual = { transport: "memory", era: "modern", sessions: false, answers: "json", tools: 2 } as const;
  const call: Call = { kind: "echo", bytes: 100 };
  return [1, 64].flatMap((inFlight) => {
    const parts = { call, connections: 1, inFlight, load: `w${inFlight}` };
    const byReference = describe({
      prefix: ["memory", "modern"],
      heading: "memory pair, own client and server, by reference",
      wiring: usual,
      ...parts,
    });
    const serialized = describe({
      prefix: ["memory", "json", "modern"],
      heading: "memory pair, own client and server, through JSON",
      wiring: { ...usual, isSerialized: true },
      ...parts,
    });
    return [byReference, { ...serialized, isPublished: true }];
  });
}

function callsToTry(): { call: Call; tools: number }[] {
  return [
    ...ECHO_SIZES.map((bytes) => ({ call: { kind: "echo", bytes } as const, tools: 2 })),
    { call: { kind: "echo", bytes: 100 }, tools: 100 },
    { call: { kind: "sum" }, tools: 2 },
    { call: { kind: "list" }, tools: 100 },
  ];
}

interface Parts {
  prefix: string[];
  heading: string;
  wiring: Wiring;
  call: Call;
  connections: number;
  inFlight: number;
  load: string;
}

function describe({ prefix, heading, wiring, call, connections, inFlight, load }: Parts): ServerScenario {
  const size = call.kind === "echo" ? sizeId(call.bytes) : [];
  const among = wiring.tools > 2 ? [`${wiring.tools}tools`] : [];
  const variant = wiring.variant === undefined ? [] : [wiring.variant];
  const id = [...prefix, call.kind, ...size, ...among, ...variant, load].join("-");
  const target = TARGETS[id];
  return {
    id,
    title: `${heading}, ${describeCall(call, wiring)}, ${describeLoad(load)}`,
    wiring,
    call,
    connections,
    inFlight,
    ...(target && { target }),
  };
}

function describeCall(call: Call, { tools, variant }: Wiring): string {
  if (call.kind === "list") return `\`tools/list\` of ${tools} tools`;
  if (call.kind === "sum") return "sum with output schema";
  const manner = variant === undefined ? "" : VARIANT_TITLES[variant];
  return `echo ${formatBytes(call.bytes)}${manner}${tools > 2 ? ` among ${tools} tools` : ""}`;
}

function describeLoad(load: string): string {
  return load.startsWith("s") ? `${load.slice(1)} sockets` : load;
}
