import { win32 } from "node:path";
import { readVariable, type Environment } from "./environment.ts";
import { toBatchCommandLine } from "./batch-command-line.ts";
import { systemProgram } from "./system-program.ts";

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
 * there should not run in place of an installed program. So what is not found is `undefined`: Node would look there.
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

function findProgram(command: string, { env, cwd, isFile }: Surroundings): string | undefined {
  const isPath = /[\\/]/.test(command);
  const extensions = (readVariable(env, "PATHEXT", "win32") ?? DEFAULT_EXTENSIONS).split(";").filter(isRunnable);
  // Next to `npx.cmd` lies `npx`, a script for POSIX shells. So a name without a known extension is taken as it stands
  // only if nothing else is there, and if it says where that is.
  const suffixes = isRunnable(win32.extname(command)) ? ["", ...extensions] : isPath ? [...extensions, ""] : extensions;
  for (const directory of isPath ? [cwd] : searchPath(env)) {
    for (const suffix of suffixes) {
      const candidate = win32.resolve(cwd, directory, command + suffix);
      if (isFile(candidate)) return candidate;
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
