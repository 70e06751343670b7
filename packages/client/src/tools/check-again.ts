import type { CallToolResult, ProtocolViolation } from "@toolwire/protocol";
import type { Call } from "../calls/call.ts";

/**
 * The schema may have changed since it was listed: only if the new one does not fit either, the result is wrong. `findTool`
 * lists the tools anew, `prepare` makes the check of the one that is called.
 */
export async function checkAgain(
  call: Call,
  result: CallToolResult,
  violation: ProtocolViolation,
  findTool: () => Promise<void>,
  prepare: () => Promise<void>,
): Promise<object> {
  const { tool: before } = call;
  await findTool().catch(() => call.options.signal?.throwIfAborted());
  if (call.tool === undefined || call.tool === before) throw violation;
  await prepare();
  const still = call.tool.checkOutput?.(result);
  if (still !== undefined) throw still.violation;
  return result;
}
