import { win32 } from "node:path";
import { readVariable, type Environment } from "./environment.ts";
import { toBatchCommandLine } from "./batch-command-line.ts";

/** What to hand to `child_process.spawn`. */
export interface ResolvedCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Whether `args` are quoted already. Windows only. */
  readonly verbatim: boolean;
}

/** What command resolution depends on; injected so that the rules of Windows can be checked anywhere. */
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
 * Other than Windows itself, this does not look into the current directory for a bare name: a file that happens to lie
 * there should not run in place of an installed program.
 */
export function resolveCommand(command: string, args: readonly string[], surroundings: Surroundings): ResolvedCommand {
  if (surroundings.platform !== "win32") return { file: command, args, verbatim: false };
  const file = findProgram(command, surroundings) ?? command;
  if (!/\.(?:bat|cmd)$/i.test(file)) return { file, args, verbatim: false };
  const shell = readVariable(surroundings.env, "COMSPEC", "win32") ?? "cmd.exe";
  return { file: shell, args: toBatchCommandLine(file, args), verbatim: true };
}

function findProgram(command: string, surroundings: Surroundings): string | undefined {
  const { env, cwd, isFile } = surroundings;
  const extensions = (readVariable(env, "PATHEXT", "win32") ?? DEFAULT_EXTENSIONS).split(";").filter(Boolean);
  const hasExtension = extensions.some((extension) => command.toLowerCase().endsWith(extension.toLowerCase()));
  // A file without a known extension cannot be run, even if it is there: `npx` is a script for POSIX shells.
  const suffixes = hasExtension ? ["", ...extensions] : extensions;
  for (const directory of directoriesFor(command, env, cwd)) {
    for (const suffix of suffixes) {
      const candidate = win32.resolve(cwd, directory, command + suffix);
      if (isFile(candidate)) return candidate;
    }
  }
  return undefined;
}

function directoriesFor(command: string, env: Environment, cwd: string): readonly string[] {
  if (/[\\/]/.test(command) || win32.isAbsolute(command)) return [cwd];
  return (readVariable(env, "PATH", "win32") ?? "")
    .split(";")
    .map((directory) => directory.replaceAll('"', "").trim())
    .filter((directory) => directory !== "");
}
