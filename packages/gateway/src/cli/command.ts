import type { ParseArgsConfig } from "node:util";

/** The streams and variables of a program. Tests pass their own. */
export interface Console {
  /** Writes a line to stdout: results. */
  print(line: string): void;
  /** Writes a line to stderr: everything else. */
  tell(line: string): void;
  /** Reads all of stdin. */
  readInput(): Promise<string>;
  readonly env: { readonly [name: string]: string | undefined };
  /** Whether a person sees stdout. */
  readonly isTerminal: boolean;
  /** Whether a person sees stderr. Default false. */
  readonly isLogTerminal?: boolean | undefined;
  /** Whether a person can answer: stdin and stderr are terminals. Default false. */
  readonly isInteractive?: boolean | undefined;
  /** Tells a parent process that asked for it that the gateway serves. Default: nobody is told. */
  readonly ready?:
    | ((addresses: { readonly listening: string; readonly admin: string | undefined }) => void)
    | undefined;
}

/** The arguments of a command, as `parseArgs` gives them. */
export interface CommandArguments {
  readonly values: { readonly [option: string]: string | boolean | readonly (string | boolean)[] | undefined };
  readonly positionals: readonly string[];
}

/** One verb of the command line. */
export interface Command {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** Everything that `--help` prints. */
  readonly help: string;
  readonly options: NonNullable<ParseArgsConfig["options"]>;
  /** How many arguments without a name it takes, at least and at most. */
  readonly positionals: readonly [least: number, most: number];
  /** Does the work. Resolves with the exit code. */
  run(args: CommandArguments, console: Console): Promise<number>;
}

/** A mistake on the command line. The program prints its message and ends with exit code 2. */
export class CommandError extends Error {
  override readonly name: string = "CommandError";
}

/** A command that could not do its work. The program prints its message and ends with exit code 1. */
export class CommandFailure extends Error {
  override readonly name: string = "CommandFailure";
}

/** Reads the value of an option that is text. */
export function textOption({ values }: CommandArguments, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}

/** Reads the value of an option that is a port. */
export function portOption(args: CommandArguments, name: string): number | undefined {
  const text = textOption(args, name);
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new CommandError(`--${name} must be a port from 0 to 65535, not ${JSON.stringify(text)}.`);
}

/** Reads the value of an option that is the slug of a server. */
export function slugOption(args: CommandArguments, name: string): string | undefined {
  const slug = textOption(args, name);
  if (slug === undefined || /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/.test(slug)) return slug;
  throw new CommandError(`--${name} must have 1 to 64 lower-case letters, digits and hyphens.`);
}

/** Reads the value of an option that is one of some words. */
export function choiceOption<T extends string>(
  args: CommandArguments,
  name: string,
  choices: readonly T[],
): T | undefined {
  const text = textOption(args, name);
  const choice = choices.find((each) => each === text);
  if (text === undefined || choice !== undefined) return choice;
  throw new CommandError(`--${name} must be one of ${choices.join(", ")}, not ${JSON.stringify(text)}.`);
}

/** Reads the values of an option that may be repeated; `undefined` if it is not given. */
export function textsOption({ values }: CommandArguments, name: string): readonly string[] | undefined {
  const value = values[name];
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : undefined;
}
