/** Everyone who takes part in the races: each race compares servers with one that has nothing of what is measured. */
import type { Role } from "../processes/pinning.ts";
import type { EngineName, Wiring } from "./wiring.ts";

/** One that is measured. */
export interface Contender {
  readonly name: string;
  readonly description: string;
  /** Its wiring, without the address of its engine. */
  readonly wiring: Omit<Wiring, "engine">;
  readonly engine?: EngineName;
  readonly era: "modern" | "legacy";
  /** How many sessions its calls are spread over. */
  readonly sessions: number;
  /** Set for the server of `npm run bench`: that of this build, or that of another checkout. */
  readonly build?: "this" | "before";
}

/** Servers that take turns. */
export interface Race {
  readonly title: string;
  /** The contender of which the others are multiples. */
  readonly base: string;
  readonly role: Role;
  readonly contenders: readonly Contender[];
}

/** How many calls are in flight, each on a connection of its own. */
export const IN_FLIGHT = 64;

/** So many that a node which remembers few of them has forgotten a session when its next call comes. */
const COLD_SESSIONS = 1024;

const ENGINES: readonly EngineName[] = ["memory", "redis", "postgres"];
const ENGINE_TITLES: Readonly<Record<EngineName, string>> = {
  memory: "the engine in memory",
  redis: "Redis",
  postgres: "Postgres",
};

const MODERN = { wiring: { sessions: "none", answers: "json" }, era: "modern", sessions: 0 } as const;
const SESSION = { wiring: { sessions: "kept", answers: "json" }, era: "legacy", sessions: IN_FLIGHT } as const;
const EVENTS = { ...SESSION, wiring: { sessions: "kept", answers: "sse" } } as const;

/** A contender for each engine. */
function withEngines(
  name: string,
  describe: (engine: string) => string,
  rest: Omit<Contender, "name" | "description" | "engine">,
): Contender[] {
  return ENGINES.map((engine) => ({
    ...rest,
    name: `${name}-${engine}`,
    description: describe(ENGINE_TITLES[engine]),
    engine,
  }));
}

/** All races. `isCompared` adds the server of another checkout, and the same one of this build. */
export function listRaces(isCompared: boolean): readonly Race[] {
  const builds: Contender[] = [
    {
      ...MODERN,
      name: "this",
      description: "modern calls, as the server of `npm run bench` answers them",
      build: "this",
    },
    { ...MODERN, name: "before", description: "the same, as another checkout has it", build: "before" },
  ];
  return [
    {
      title: "Modern calls, and telemetry",
      base: "modern",
      role: "measured",
      contenders: [
        { ...MODERN, name: "modern", description: "modern calls, no cluster, no telemetry" },
        ...(isCompared ? builds : []),
        ...withEngines("modern", (engine) => `the same with a bus of ${engine}`, MODERN),
        {
          ...MODERN,
          name: "telemetry-no-sdk",
          description: "with `@toolwire/otel`, and no SDK of OpenTelemetry",
          wiring: { ...MODERN.wiring, telemetry: "no SDK" },
        },
        {
          ...MODERN,
          name: "telemetry-sampled",
          description: "with an SDK that records one trace in a hundred, and all metrics",
          wiring: { ...MODERN.wiring, telemetry: "sampled" },
        },
        {
          ...MODERN,
          name: "telemetry-always",
          description: "with an SDK that records all traces and metrics",
          wiring: { ...MODERN.wiring, telemetry: "always" },
        },
      ],
    },
    {
      title: "Legacy sessions, answers in JSON",
      base: "session",
      role: "measured",
      contenders: [
        { ...SESSION, name: "session", description: "calls of legacy sessions that one process keeps" },
        ...withEngines("warm", (engine) => `with ${engine}, at a node that knows the sessions`, SESSION),
        ...withEngines("cold", (engine) => `with ${engine}, at a node that has to look up the session for each call`, {
          ...SESSION,
          wiring: { ...SESSION.wiring, second: "forgetful" },
          sessions: COLD_SESSIONS,
        }),
        {
          ...SESSION,
          name: "sealed",
          description: "sessions that their clients carry, sealed in the id",
          wiring: { ...SESSION.wiring, sessions: "sealed" },
        },
        {
          ...SESSION,
          name: "stateless",
          description: "legacy calls without sessions",
          wiring: { ...SESSION.wiring, sessions: "none" },
          sessions: 0,
        },
      ],
    },
    {
      title: "Legacy sessions, answers as event streams",
      base: "session-events",
      role: "measured",
      contenders: [
        { ...EVENTS, name: "session-events", description: "the sessions of one process, answers as event streams" },
        ...withEngines("warm-events", (engine) => `with ${engine}, at a node that knows the sessions`, EVENTS),
      ],
    },
    {
      title: "All cores of a machine, modern calls",
      base: "one",
      role: "spread",
      contenders: [
        { ...MODERN, name: "one", description: "one process, modern calls" },
        {
          ...MODERN,
          name: "workers",
          description: "two workers, modern calls",
          wiring: { ...MODERN.wiring, workers: 2 },
        },
      ],
    },
    {
      title: "All cores of a machine, legacy sessions",
      base: "one-session",
      role: "spread",
      contenders: [
        { ...SESSION, name: "one-session", description: "one process, legacy sessions" },
        {
          ...SESSION,
          name: "workers-session",
          description: "two workers, legacy sessions",
          wiring: { ...SESSION.wiring, workers: 2 },
        },
      ],
    },
  ];
}
