import { lstatSync, statSync, type StatSyncOptions } from "node:fs";
import { win32 } from "node:path";
import { type Environment, readVariable } from "./environment.ts";
import { UsageError } from "@toolwire/protocol";

const MISSING_IS_FINE = { throwIfNoEntry: false } as const satisfies StatSyncOptions;

/**
 * Whether there is a file at this path, possibly one that can be run but not examined: programs from the Microsoft Store,
 * such as `python`, are links that Node cannot follow.
 */
export function isFile(path: string): boolean {
  try {
    return statSync(path, MISSING_IS_FINE)?.isFile() === true;
  } catch {
    return isLink(path);
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, MISSING_IS_FINE)?.isDirectory() === false;
  } catch {
    // Its directory cannot be read.
    return false;
  }
}

/**
 * The full path of a program that comes with Windows. By its name alone, Node would look for it in the current directory
 * first and run any file of that name there; and `PATH` need not lead to it.
 */
export function systemProgram(name: string, env: Environment): string {
  return win32.join(readVariable(env, "SYSTEMROOT", "win32") ?? "C:\\Windows", "System32", name);
}

/**
 * The arguments with which `cmd.exe` runs a batch file, to be passed on verbatim.
 *
 * Windows has no argument list, only one line of text, which `cmd.exe` reads by rules of its own: it expands variables
 * even inside quotes, and a quote that the program would take as escaped ends the quotation for `cmd.exe`. Arguments that
 * both cannot be made to read alike are refused, because they could run a command (the class of bugs known as
 * CVE-2024-24576 and CVE-2024-27980).
 */
function toBatchCommandLine(file: string, args: readonly string[]): readonly string[] {
  const line = [quoteFile(file), ...args.map(quoteArgument)].join(" ");
  // Runs no AutoRun commands, enables `%name:~0,0%`, does not expand `!name!`, and removes the outer quotes.
  return ["/d", "/e:on", "/v:off", "/s", "/c", `"${line}"`];
}

function quoteFile(file: string): string {
  if (/["%\r\n\0]/.test(file)) {
    const shown = JSON.stringify(file);
    throw new UsageError("INVALID_ARGUMENT", `The batch file ${shown} has a name that cmd.exe cannot be given safely.`);
  }
  return `"${file}"`;
}

function quoteArgument(argument: string): string {
  if (/[\r\n\0]/.test(argument)) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      `The argument ${JSON.stringify(argument)} holds a line break, which no batch file can be given. ` +
        "Start the program behind the batch file directly, for instance `node` with the path of its script.",
    );
  }
  if (/^[A-Za-z0-9#$*+\-./:?@\\_]*[A-Za-z0-9#$*+\-./:?@_]$/.test(argument)) return argument;
  const quoted = argument
    // Backslashes before a quote would escape it for the program; a doubled quote means the same to both.
    .replaceAll(/(\\*)"/g, '$1$1""')
    // At the end they would escape the closing quote.
    .replace(/(\\+)$/, "$1$1")
    // Expands to a percent sign: an empty part of a variable that always exists follows it.
    .replaceAll("%", "%%cd:~,%");
  return `"${quoted}"`;
}

/** The arguments of `child_process.spawn`. */
export interface ResolvedCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Whether `args` are quoted already. Windows only. */
  readonly verbatim: boolean;
}

/** The environment of command resolution; a parameter, so that the rules of Windows can be tested anywhere. */
export interface Surroundings {
  readonly platform: NodeJS.Platform;
  /** The environment of the program to start, whose `PATH` is searched. */
  readonly env: Environment;
  /** The directory it starts in, against which relative paths are resolved. */
  readonly cwd: string;
  readonly isFile: (path: string) => boolean;
}

const DEFAULT_EXTENSIONS = ".COM;.EXE;.BAT;.CMD";

/**
 * Finds the program behind a command. POSIX needs no help. Windows does: `npx` there is a batch file `npx.cmd`, which
 * the system finds only if asked for each extension of `PATHEXT`, and runs only through `cmd.exe`.
 *
 * Unlike Windows itself, this does not look into the current directory for a bare name: a file that happens to be there
 * must not run in place of an installed program. A program that is not found is `undefined`: Node would look there.
 */
export function resolveCommand(
  command: string,
  args: readonly string[],
  surroundings: Surroundings,
): ResolvedCommand | undefined {
  if (surroundings.platform !== "win32") return { file: command, args, verbatim: false };
  const file = findProgram(command, surroundings);
  if (file === undefined) return undefined;
  if (!/\.(?:bat|cmd)$/i.test(file)) return { file, args, verbatim: false };
  const shell = readVariable(surroundings.env, "COMSPEC", "win32") ?? systemProgram("cmd.exe", surroundings.env);
  return { file: shell, args: toBatchCommandLine(file, args), verbatim: true };
}

function findProgram(command: string, { env, cwd, isFile: isProgram }: Surroundings): string | undefined {
  const isPath = /[\\/]/.test(command);
  const extensions = (readVariable(env, "PATHEXT", "win32") ?? DEFAULT_EXTENSIONS).split(";").filter(isRunnable);
  // Next to `npx.cmd` there is `npx`, a script for POSIX shells. So a name without a known extension is used unchanged
  // only if it is a path, and no file with an extension is there.
  const suffixes = isRunnable(win32.extname(command)) ? ["", ...extensions] : isPath ? [...extensions, ""] : extensions;
  for (const directory of isPath ? [cwd] : searchPath(env)) {
    for (const suffix of suffixes) {
      const candidate = win32.resolve(cwd, directory, command + suffix);
      if (isProgram(candidate)) return candidate;
    }
  }
  return undefined;
}

/** Whether files with this extension can be started. `PATHEXT` also has those of scripts, which only shells can. */
function isRunnable(extension: string): boolean {
  return /^\.(?:com|exe|bat|cmd)$/i.test(extension);
}

function searchPath(env: Environment): readonly string[] {
  return (readVariable(env, "PATH", "win32") ?? "")
    .split(";")
    .map((directory) => directory.replaceAll('"', "").trim())
    .filter((directory) => directory !== "");
}
