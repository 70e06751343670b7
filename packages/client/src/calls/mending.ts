import type { RpcError } from "@toolwire/protocol";
import { isShuttingDown } from "@toolwire/protocol/internal";
import type { Link } from "../connection/link.ts";
import type { Call } from "./call.ts";
import type { RoundOptions } from "./input-rounds.ts";
import { renewFor, type Doubt } from "./renewal.ts";
import { throwUnsent } from "./unsent.ts";

/**
 * Failures after which a call can be sent again: the connection ended before the call was sent, the server refused it unread, the
 * server expects other headers than the listed tool declared, the user must visit pages first (2025-11-25 only), or the agreed
 * session, revision or era is in doubt.
 */
export type Trouble = "unsent" | "headers" | "pages" | Doubt;

/**
 * Mends what a call has failed by. Resolves if it is to be sent again, and rejects with what its caller is to be told
 * otherwise. `findTool` looks up the tool of the call anew. Loaded with the first call that fails like this.
 */
export async function mendCall(
  call: Call,
  error: unknown,
  trouble: Trouble,
  options: RoundOptions & { readonly link: Link },
  findTool: () => Promise<void>,
): Promise<void> {
  if (trouble === "pages") {
    // As often as the server has pages to show, within the rounds that it may have.
    if (options.inputs.url === undefined) throw error;
    const { visitPages } = await import("../parts/legacy.ts");
    return visitPages(call, error as RpcError, options);
  }
  call.mended = [...call.mended, trouble];
  if (trouble === "unsent") {
    if (isShuttingDown(error)) options.link.retire(call.connection);
    // A connection that is still there has refused this call alone.
    if (options.link.current === call.connection) throw options.link.explain(error);
    await call.waitFor(options.link.ready(), "connecting again").catch(throwUnsent);
    return;
  }
  if (trouble !== "headers") return renewFor(call, error, trouble, options.link);
  const before = JSON.stringify(call.headers);
  await findTool();
  if (JSON.stringify(call.headers) === before) throw error;
}
