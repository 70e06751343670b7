import type { Complete } from "@toolwire/server";
import type { Upstream } from "../upstream/upstream.ts";
import type { CompletedReference } from "../upstream/view.ts";

/** Completes an argument by asking the upstream. */
export function completeBy(upstream: Upstream, ref: CompletedReference, argument: string): Complete {
  return (value, ctx, settled) => upstream.expectView(ctx).complete(ref, argument, value, ctx, settled);
}
