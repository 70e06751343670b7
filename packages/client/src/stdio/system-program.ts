import { win32 } from "node:path";
import { readVariable, type Environment } from "./environment.ts";

/**
 * A program that comes with Windows, by its whole path. By its name alone, Node would look for it in the current
 * directory first, and run whatever lies there; and a `PATH` need not lead to it.
 */
export function systemProgram(name: string, env: Environment): string {
  return win32.join(readVariable(env, "SYSTEMROOT", "win32") ?? "C:\\Windows", "System32", name);
}
