/** The members that the benchmark needs of a server implementation. */
import type { Variant, Wiring } from "../workload/scenario.ts";

/** One implementation, in one file, in its leanest documented wiring with input validation on. */
export interface Contender {
  readonly name: string;
  /** The packages whose versions are reported. */
  readonly packages: readonly string[];
  /** How it takes part, or why it cannot. */
  offer(wiring: Wiring): Offer | string;
  /** Serves until the process ends and resolves with the port, if the transport has one. */
  serve(wiring: Wiring): Promise<number | undefined>;
}

/** How a contender takes part: as asked, or in the nearest way that it has. */
export interface Offer {
  readonly wiring: Wiring;
  /** Differences from what was asked for; shown in the table. */
  readonly note?: string;
  /** The `Accept` header that makes it answer in the form asked for, where the usual one does not. */
  readonly accept?: string;
}

/** The text blocks of an `echo` result: one, or two where a scenario asks for several. */
export function echoBlocks(text: string, variant: Variant | undefined): { type: "text"; text: string }[] {
  const block = { type: "text" as const, text };
  return variant === "blocks" ? [block, { type: "text", text: "echoed" }] : [block];
}

/** Why a contender that knows zod alone and has no middleware cannot take part. */
export function missingVariant({ variant }: Wiring): string | undefined {
  if (variant === "json-schema") return "no JSON Schema";
  return variant === "middleware" ? "no middleware" : undefined;
}

/** Starts an HTTP server on a free port of this machine. */
export async function listenOn(server: {
  listen(port: number, host: string, ready: () => void): unknown;
  address(): unknown;
}): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return (server.address() as { port: number }).port;
}
