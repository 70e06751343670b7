import { TransportError } from "@toolwire/protocol";
import { statSync } from "node:fs";
import type { ProcessOptions } from "./spawn-server.ts";
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mergeEnvironments, pickSafeEnvironment } from "./environment.ts";
import { isFile, resolveCommand, type ResolvedCommand } from "./command.ts";
import { guardAgainstOrphans } from "./orphan-guard.ts";

/**
 * Explains why a server could not be started, and what to do about it. Errors end up in logs, so neither this one nor its
 * cause holds the arguments or the environment of the command: Node attaches the first, and quotes invalid values.
 */
export function startError({ command, cwd }: ProcessOptions, failure: NodeJS.ErrnoException): TransportError {
  const { code, errno, syscall } = failure;
  const message = failure.message.replace(/ Received .*/s, "");
  const cause = Object.assign(new Error(message), { code, errno, syscall });
  const reason = explainFailure(command, cwd, cause);
  return new TransportError("CONNECT_FAILED", `The server could not be started: ${reason}`, { cause });
}

function explainFailure(command: string, cwd: string | undefined, { code, message }: NodeJS.ErrnoException): string {
  const shown = JSON.stringify(command);
  if (code === "ENOENT" && cwd !== undefined && !isDirectory(cwd)) {
    return `the directory ${JSON.stringify(cwd)} given as \`cwd\` does not exist.`;
  }
  if (code === "ENOENT" && /\s/.test(command)) {
    return `there is no program ${shown}. \`command\` is the program alone; put its arguments into \`args\`.`;
  }
  if (code === "ENOENT") return `there is no program ${shown}. Check its spelling and the server's PATH.`;
  if (code === "EACCES") return `${shown} is not executable, or this process may not run it.`;
  // The codes of Windows for scripts; the second comes from older versions of Node.
  if (code === "EFTYPE" || code === "UNKNOWN") {
    return (
      `${shown} is not a program that Windows can run (${code}). If it is a script, \`command\` is what runs it, such ` +
      'as "node", and the script goes into `args`.'
    );
  }
  return message;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Starts a server. Rejects with `CONNECT_FAILED` and what to do about it if that is not possible. */
export function startProcess(options: ProcessOptions): Promise<ChildProcessWithoutNullStreams> {
  const { platform } = process;
  const { command, args = [], cwd = process.cwd() } = options;
  const inherited = options.inheritEnv === true ? process.env : pickSafeEnvironment(process.env, platform);
  const env = mergeEnvironments(inherited, options.env ?? {}, platform);
  return new Promise((resolve, reject) => {
    const program = resolveCommand(command, args, { platform, env, cwd, isFile });
    if (program === undefined) throw startError(options, Object.assign(new Error(command), { code: "ENOENT" }));
    const child = trySpawn(program);
    if (child.pid !== undefined) child.once("exit", guardAgainstOrphans(child.pid));
    child.once("spawn", () => {
      child.off("error", refuse);
      // From here on, errors are about signals that could not be delivered because the process has ended.
      child.on("error", () => {});
      resolve(child);
    });
    child.once("error", refuse);

    function trySpawn(resolved: ResolvedCommand): ChildProcessWithoutNullStreams {
      try {
        return spawn(resolved.file, resolved.args, {
          cwd,
          env,
          stdio: "pipe",
          // Leader of a process group, so that the whole group can be ended.
          detached: platform !== "win32",
          windowsHide: true,
          windowsVerbatimArguments: resolved.verbatim,
        });
      } catch (cause) {
        throw startError(options, cause as NodeJS.ErrnoException);
      }
    }

    function refuse(cause: Error): void {
      reject(startError(options, cause));
    }
  });
}
