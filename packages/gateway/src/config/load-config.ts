import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { findClientFile } from "./check/client-file.ts";
import { allowsMachineAccess, listMachineUses } from "./check/machine-access.ts";
import { checkMeaning, checkServerMeaning } from "./check/meaning.ts";
import { checkServerShape, checkShape } from "./check/shape.ts";
import { checkWholeShape } from "./check/whole-shape.ts";
import type { GatewayConfig, ServerConfig } from "./config.ts";
import { ConfigError, type ConfigPath, type ConfigProblem, isFatal, isUsable, sortProblems } from "./problem.ts";
import { readYaml } from "./read-yaml.ts";
import type { ReferenceSources } from "./references.ts";
import { type SoundParts, withoutMistakes } from "./check/sound-parts.ts";

/** A configuration that was read, and everything that is wrong with it. */
export interface LoadedConfig {
  /** `undefined` if it cannot be used. */
  readonly config: GatewayConfig | undefined;
  /** In the order of their lines. */
  readonly problems: readonly ConfigProblem[];
  /** The parts that have no errors, for further checks. `undefined` if the text could not be read. */
  readonly sound: SoundParts | undefined;
  /** Adds file, line and column to a problem. */
  locate(problem: ConfigProblem): ConfigProblem;
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
    return unread([{ severity: "error", path: [], message, file }]);
  }
  return readConfig(text, sourcesOf(dirname(resolve(file)), env), file);
}

/** Reads the text of a configuration, YAML or JSON, and checks all of it. `file` is for messages. */
export function readConfig(text: string, sources: ReferenceSources, file?: string): LoadedConfig {
  const source = readYaml(text, file);
  if (!source.isRead) return unread(source.problems);
  const { value } = source;
  const locate = (problem: ConfigProblem): ConfigProblem => source.locate(problem);
  const foreign = findClientFile(value, file);
  if (foreign !== undefined) return unread([source.locate(foreign, true)]);
  const shape = checkWholeShape(value);
  const meaning = checkMeaning(shape.sound.config, sources);
  const sound = withoutMistakes(shape.sound.config, meaning);
  const problems = sortProblems([
    ...source.problems,
    ...shape.problems.map(({ isAboutName, ...problem }) => source.locate(problem, isAboutName)),
    ...meaning.map(locate),
  ]);
  return {
    config: isUsable(problems) ? (value as GatewayConfig) : undefined,
    problems,
    sound: { config: sound.config, partial: new Set([...shape.sound.partial, ...sound.partial]) },
    locate,
  };
}

function unread(problems: readonly ConfigProblem[]): LoadedConfig {
  return { config: undefined, problems, sound: undefined, locate: (problem) => problem };
}

/**
 * Checks a configuration that is no text.
 *
 * @throws UsageError that lists everything that is wrong
 */
export function expectConfig(config: unknown, sources: ReferenceSources): readonly ConfigProblem[] {
  const shape = checkWholeShape(config);
  const problems = [...shape.problems, ...checkMeaning(shape.sound.config, sources)];
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

/** Throws a `ConfigError` that lists all errors which keep a gateway from running. Returns everything else. */
function expectUsable(problems: readonly ConfigProblem[], what: string): readonly ConfigProblem[] {
  if (isUsable(problems)) return problems;
  throw new ConfigError(what, problems.filter(isFatal));
}
