import { TransportError } from "@toolwire/protocol";
import { statSync } from "node:fs";
import type { ProcessOptions } from "./options.ts";

/**
 * What went wrong when a server was started, and what to do about it. Errors end up in logs, so that neither this one nor its
 * cause has the arguments or the environment of the command: Node attaches the first, and quotes what it cannot pass on.
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
  // What Windows says of scripts; the second is the word of older versions of Node.
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
