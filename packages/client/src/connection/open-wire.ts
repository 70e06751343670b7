import { TransportError } from "@toolwire/protocol";
import type { CallerOptions } from "@toolwire/protocol/internal";
import type { DiagnosticListener } from "../diagnostics.ts";
import type { Terms } from "../negotiation/agreement.ts";
import type { RememberedEra, ServerMemory } from "../negotiation/server-memory.ts";
import type { Endpoint, Transport } from "../target/endpoint.ts";
import { untilAborted } from "../waiting.ts";
import type { Connection } from "./connection.ts";
import { Wire, type WireListener } from "./wire.ts";

/** What it takes to open connections to one server. */
export interface Opening {
  readonly endpoint: Endpoint;
  readonly terms: Terms;
  readonly listener: WireListener;
  readonly memory: ServerMemory | false;
  readonly callerOptions: CallerOptions;
  readonly diagnose: DiagnosticListener;
}

/** A connection, and what is to be remembered of how it was opened. */
export interface Opened {
  readonly connection: Connection;
  readonly era: RememberedEra;
}

/** Begins to use a transport that is being opened, unless the signal is aborted first. */
export async function openWire(opening: Opening, opened: Promise<Transport>): Promise<Wire> {
  const { listener, callerOptions } = opening;
  const { signal } = opening.terms;
  const transport = await untilAborted(opened, signal, closeQuietly);
  try {
    const wire = await untilAborted(Wire.open(transport, listener, callerOptions, signal), signal);
    if (!wire.isOpen) throw deathOf(wire);
    return wire;
  } catch (error) {
    await closeQuietly(transport);
    throw error;
  }
}

/** Closes what is of no use any more. Why it is not is what counts, not how that goes. */
export async function closeQuietly(opened: { close(): unknown }): Promise<void> {
  try {
    await opened.close();
  } catch {
    // Nobody could do anything about it.
  }
}

/** Why there is no connection any more that was never of use. */
export function deathOf(wire: Wire, cause?: unknown): Error {
  const message = "The server closed the connection at once.";
  return wire.failure ?? new TransportError("CONNECTION_LOST", message, { cause });
}
