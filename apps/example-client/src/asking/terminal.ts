import { isTerminal } from "../printing/paint.ts";

/** Whether there is somebody to ask: both to read the question, and to type the answer. */
export function isInteractive(): boolean {
  return process.stdin.isTTY && isTerminal(process.stdout);
}
