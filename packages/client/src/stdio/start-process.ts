import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mergeEnvironments, pickSafeEnvironment } from "./environment.ts";
import { isFile } from "./is-file.ts";
import { guardAgainstOrphans } from "./orphan-guard.ts";
import type { ProcessOptions } from "./options.ts";
import { resolveCommand, type ResolvedCommand } from "./resolve-command.ts";
import { startError } from "./start-error.ts";

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
      // From here on errors concern signals that could not be delivered; what they aimed at has ended then.
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
