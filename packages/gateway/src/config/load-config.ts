import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { checkMeaning, checkServerMeaning } from "./check-meaning.ts";
import { allowsMachineAccess, listMachineUses } from "./check-machine-access.ts";
import { checkServerShape, checkShape } from "./check-shape.ts";
import type { GatewayConfig, ServerConfig } from "./config.ts";
import { ConfigError, type ConfigPath, type ConfigProblem, isUsable } from "./problem.ts";
import { readYaml } from "./read-yaml.ts";
import type { ReferenceSources } from "./references.ts";

/** A configuration that was read, and everything that is wrong with it. */
export interface LoadedConfig {
  /** `undefined` if it cannot be used. */
  readonly config: GatewayConfig | undefined;
  /** In the order of their lines. */
  readonly problems: readonly ConfigProblem[];
}

/** Environment variables and the folder that relative paths start from. */
export function sourcesOf(
  folder: string = process.cwd(),
  env: ReferenceSources["env"] = process.env,
): ReferenceSources {
  return { env, folder };
}

/** Reads a configuration file and checks all of it. */
export async function loadConfigFile(file: string, env?: ReferenceSources["env"]): Promise<LoadedConfig> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = code === "ENOENT" ? "There is no such file." : `The file cannot be read: ${code}.`;
    return { config: undefined, problems: [{ severity: "error", path: [], message, file }] };
  }
  return readConfig(text, sourcesOf(dirname(resolve(file)), env), file);
}

/** Reads the text of a configuration, YAML or JSON, and checks all of it. `file` is for messages. */
export function readConfig(text: string, sources: ReferenceSources, file?: string): LoadedConfig {
  const source = readYaml(text, file);
  if (source.problems.length > 0) return { config: undefined, problems: source.problems };
  const { value } = source;
  const shape = checkShape(value).map((problem) => source.locate(problem, problem.isAboutName));
  // The meaning of parts with the wrong form cannot be checked. Servers with the right form can.
  const meaning = checkMeaning(withoutMisshapen(value, shape), sources).map((problem) => source.locate(problem));
  const problems = [...shape, ...meaning].toSorted(byPlace);
  return { config: isUsable(problems) ? (value as GatewayConfig) : undefined, problems };
}

/**
 * Checks a configuration that is no text.
 *
 * @throws UsageError that lists everything that is wrong
 */
export function expectConfig(config: unknown, sources: ReferenceSources): readonly ConfigProblem[] {
  const shape = checkShape(config);
  const problems = [...shape, ...checkMeaning(withoutMisshapen(config, shape), sources)];
  return expectUsable(problems, "The configuration cannot be used");
}

/**
 * Checks the configuration of one server that was made through the admin API, as a part of that of a gateway.
 *
 * @throws UsageError that lists everything that is wrong
 */
export function expectServerConfig(
  slug: string,
  config: unknown,
  sources: ReferenceSources,
  gateway: GatewayConfig,
): readonly ConfigProblem[] {
  const path: ConfigPath = ["servers", slug];
  const problems: ConfigProblem[] = [
    ...checkShape({ version: 1, servers: { [slug]: {} } }),
    ...checkServerShape(config, path),
  ];
  if (isUsable(problems)) {
    if (!allowsMachineAccess(gateway)) problems.push(...listMachineUses(config as ServerConfig, path, gateway));
    // What a server may not use is not looked up either: an error would tell which variables and files there are.
    if (isUsable(problems)) problems.push(...checkServerMeaning(config as ServerConfig, path, sources, gateway));
  }
  return expectUsable(problems, `The server ${JSON.stringify(slug)} cannot be used`);
}

/**
 * Refuses a stored server that uses the machine of the gateway, unless the configuration allows it: it may have been stored when
 * it did, or by another gateway on the same database.
 *
 * @throws UsageError that lists what it uses
 */
export function expectMachineAccess(slug: string, config: ServerConfig, gateway: GatewayConfig): void {
  if (allowsMachineAccess(gateway)) return;
  expectUsable(
    listMachineUses(config, ["servers", slug], gateway),
    `The server ${JSON.stringify(slug)} cannot be used`,
  );
}

/** Throws a `ConfigError` that lists all errors. Returns the warnings. */
function expectUsable(problems: readonly ConfigProblem[], what: string): readonly ConfigProblem[] {
  if (isUsable(problems)) return problems;
  const errors = problems.filter(({ severity }) => severity === "error");
  throw new ConfigError(what, errors);
}

/** The members of a server whose own members stand for themselves. */
const NAMED_PARTS: ReadonlySet<unknown> = new Set(["tools", "credentials", "upstreams", "overrides"]);

/** A copy of a configuration without the parts whose form is wrong, so that the meaning of the others can be checked. */
function withoutMisshapen(value: unknown, problems: readonly ConfigProblem[]): GatewayConfig {
  if (problems.length === 0) return value as GatewayConfig;
  const copy = structuredClone(Object(value) as object);
  for (const { path } of problems) {
    const length = path[0] !== "servers" ? 1 : NAMED_PARTS.has(path[2]) ? 4 : 3;
    removeAt(copy, path.slice(0, length));
  }
  return { version: 1, ...copy };
}

function removeAt(root: object, path: ConfigPath): void {
  const last = path.at(-1);
  let holder: unknown = root;
  for (const key of path.slice(0, -1)) {
    holder = Object.hasOwn(Object(holder) as object, key) ? (holder as Record<string, unknown>)[key] : undefined;
  }
  if (last === undefined || typeof holder !== "object" || holder === null) return;
  // Tools may name a credential whose form is wrong. That is not a second mistake.
  if (path.at(-2) === "credentials") Reflect.set(holder, last, { none: true });
  else Reflect.deleteProperty(holder, last);
}

function byPlace(one: ConfigProblem, other: ConfigProblem): number {
  return (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0);
}
