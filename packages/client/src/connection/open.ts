import { TransportError } from "@toolwire/protocol";
import type { DiagnosticListener } from "../diagnostics.ts";
import type { ClientEra, OtherTransport, Terms } from "../eras/era.ts";
import type { RememberedEra, ServerMemory } from "../eras/server-memory.ts";
import type { Endpoint, Transport } from "../target/endpoint.ts";
import { after, follow, untilAborted } from "../waiting.ts";
import { Connection } from "./connection.ts";
import { erasOf, isInconclusive, negotiate } from "./negotiate.ts";
import { OpenTransport, type TransportCallerOptions, type TransportListener } from "./open-transport.ts";

/** Everything that it takes to open connections to one server. */
export interface Opening {
  readonly endpoint: Endpoint;
  readonly eras: readonly ClientEra[];
  readonly terms: Terms;
  readonly listener: TransportListener;
  readonly memory: ServerMemory | false;
  readonly callerOptions: TransportCallerOptions;
  readonly diagnose: DiagnosticListener;
}

/** A connection, and the entry for the memory of servers. */
interface Opened {
  readonly connection: Connection;
  readonly remembered: RememberedEra;
}

/** Opens a connection to the server and agrees with it on a revision, over any transport and in any era that it speaks. */
export async function openConnection(opening: Opening): Promise<Connection> {
  const { endpoint, memory } = opening;
  const { key } = endpoint;
  if (key === undefined || !memory) return (await openAny(opening, undefined)).connection;
  const known = memory.get(key);
  try {
    const { connection, remembered } = await openAny(opening, known);
    memory.set(key, remembered);
    return connection;
  } catch (error) {
    // Another server may have taken the address: the next attempt begins anew.
    if (known !== undefined) memory.delete(key);
    throw error;
  }
}

async function openAny(opening: Opening, remembered: RememberedEra | undefined): Promise<Opened> {
  const { endpoint, terms } = opening;
  const eras = erasOf(opening.eras, terms);
  for (const era of remembered === undefined ? [] : eras) {
    const other = era.rememberedTransport?.(endpoint, terms, remembered!);
    if (other === undefined) continue;
    try {
      return await openOther(opening, era, other);
    } catch (error) {
      // The server may have moved on to the usual transport since.
      if (eras.some((each) => each.recognizes(error)) || !isInconclusive(error)) throw error;
    }
  }
  const transport = await openTransport(opening, endpoint.open());
  try {
    const agreement = await negotiate(transport.caller, terms, eras, remembered);
    return { connection: new Connection(transport, agreement, terms), remembered: agreement.era.name };
  } catch (error) {
    const death = transport.isOpen ? undefined : deathOf(transport, error);
    await closeQuietly(transport);
    const failure = { error, death, remembered, hasAlternatives: eras.length > 1 };
    for (const era of eras) {
      const other = era.otherTransport?.(endpoint, terms, failure);
      if (other !== undefined) return openOther(opening, era, other);
    }
    throw death ?? error;
  }
}

/** Opens another transport than the usual one, and agrees with the server in the era that has it. */
async function openOther(opening: Opening, era: ClientEra, other: OtherTransport): Promise<Opened> {
  const { terms, diagnose } = opening;
  const { notice, openTimeout = Infinity } = other;
  if (notice !== undefined) diagnose({ level: "info", ...notice });
  const transport = await openWithin(opening, other, openTimeout).catch((error: unknown) => {
    throw other.explain?.(error) ?? error;
  });
  try {
    const agreement = await era.agree(transport.caller, terms);
    return { connection: new Connection(transport, agreement, terms), remembered: other.remembered };
  } catch (error) {
    const death = transport.isOpen ? undefined : deathOf(transport, error);
    await closeQuietly(transport);
    throw death ?? error;
  }
}

async function openWithin(opening: Opening, other: OtherTransport, ms: number): Promise<OpenTransport> {
  const { terms } = opening;
  const stop = new AbortController();
  const timer = after(ms, () => stop.abort(), terms.pausedTime);
  const unfollow = follow(terms.signal, stop);
  try {
    return await openTransport({ ...opening, terms: { ...terms, signal: stop.signal } }, other.open());
  } finally {
    timer?.clear();
    unfollow?.();
  }
}

/** Begins to use a transport that is being opened, unless the signal is aborted first. */
async function openTransport(opening: Opening, opened: Promise<Transport>): Promise<OpenTransport> {
  const { listener, callerOptions, eras } = opening;
  const { signal } = opening.terms;
  const transport = await untilAborted(opened, signal, closeQuietly);
  try {
    const open = await untilAborted(OpenTransport.open(transport, eras, listener, callerOptions, signal), signal);
    if (!open.isOpen) throw deathOf(open);
    return open;
  } catch (error) {
    await closeQuietly(transport);
    throw error;
  }
}

/** Closes a transport or client, and ignores errors of that: the original failure is reported. */
export async function closeQuietly(opened: { close(): unknown }): Promise<void> {
  try {
    await opened.close();
  } catch {
    // The original failure is reported.
  }
}

/** The error for a transport that ended before it was of use. */
export function deathOf(transport: OpenTransport, cause?: unknown): Error {
  const message = "The server closed the connection at once.";
  return transport.failure ?? new TransportError("CONNECTION_LOST", message, { cause });
}
