import { TransportError } from "@toolwire/protocol";
import type { CallerOptions } from "@toolwire/protocol/internal";
import type { DiagnosticListener } from "../diagnostics.ts";
import type { Terms } from "./agreement.ts";
import type { RememberedEra, ServerMemory } from "./server-memory.ts";
import type { Endpoint, Transport } from "../target/endpoint.ts";
import { untilAborted } from "../waiting.ts";
import { Connection } from "./connection.ts";
import { Wire, type WireListener } from "./wire.ts";
import { negotiate, refusesPost, suggestsLegacy } from "./negotiate.ts";

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

/** Opens a way to the server and agrees with it on a revision, by whichever way and handshake it understands. */
export async function openConnection(opening: Opening): Promise<Connection> {
  const { endpoint, memory } = opening;
  const { key } = endpoint;
  if (key === undefined || !memory) return (await openAny(opening, undefined)).connection;
  const remembered = memory.get(key);
  try {
    const { connection, era } = await openAny(opening, remembered);
    memory.set(key, era);
    return connection;
  } catch (error) {
    // Another server may be there by now: the next attempt finds out anew.
    if (remembered !== undefined) memory.delete(key);
    throw error;
  }
}

async function openAny(opening: Opening, remembered: RememberedEra | undefined): Promise<Opened> {
  const { endpoint, terms } = opening;
  const { openOlder } = endpoint;
  const mayBeOlder = openOlder !== undefined && terms.revisions.includes("2024-11-05");
  if (remembered === "sse-pair" && mayBeOlder) {
    try {
      const { openRememberedPair } = await import("../parts/legacy.ts");
      return await openRememberedPair(opening, openOlder);
    } catch (error) {
      // The server may have moved on to Streamable HTTP since.
      if (!suggestsLegacy(error)) throw error;
    }
  }
  const wire = await openWire(opening, endpoint.open());
  try {
    const agreement = await negotiate(wire.caller, terms, remembered);
    return { connection: new Connection(wire, agreement, terms), era: agreement.era };
  } catch (error) {
    const hasDied = !wire.isOpen;
    await closeQuietly(wire);
    const mayBePair = mayBeOlder && refusesPost(error);
    if (!mayBePair && !hasDied) throw error;
    const { openAgain, openPair } = await import("../parts/legacy.ts");
    return mayBePair ? openPair(opening, openOlder, error) : openAgain(opening, remembered, deathOf(wire, error));
  }
}
