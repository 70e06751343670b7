import { eraOf, isObject, TransportError } from "@toolwire/protocol";
import type { CallerOptions } from "@toolwire/protocol/engine";
import type { DiagnosticListener } from "../diagnostics.ts";
import { modernMeta, type Agreement, type Terms } from "../negotiation/agreement.ts";
import { initialize } from "../negotiation/initialize.ts";
import { negotiate, suggestsLegacy } from "../negotiation/negotiate.ts";
import type { RememberedEra, ServerMemory } from "../negotiation/server-memory.ts";
import type { Endpoint, Transport } from "../target/endpoint.ts";
import { untilAborted } from "../waiting.ts";
import { Connection } from "./connection.ts";
import { Wire, type WireListener } from "./wire.ts";

/** What it takes to open connections to one server. */
export interface Opening {
  readonly endpoint: Endpoint;
  readonly terms: Terms;
  readonly listener: WireListener;
  readonly memory: ServerMemory | undefined;
  readonly callerOptions: CallerOptions;
  readonly diagnose: DiagnosticListener;
}

/** Opens a way to the server and agrees with it on a revision, by whichever way and handshake it understands. */
export async function openConnection(opening: Opening): Promise<Connection> {
  const { endpoint, memory } = opening;
  const remembered = endpoint.key === undefined ? undefined : memory?.get(endpoint.key);
  try {
    const { connection, era } = await openAny(opening, remembered);
    if (endpoint.key !== undefined) memory?.set(endpoint.key, era);
    return connection;
  } catch (error) {
    // Another server may be there by now: the next attempt finds out anew.
    if (endpoint.key !== undefined && remembered === "modern") memory?.delete(endpoint.key);
    throw error;
  }
}

interface Opened {
  readonly connection: Connection;
  readonly era: RememberedEra;
}

async function openAny(opening: Opening, remembered: RememberedEra | undefined): Promise<Opened> {
  const { endpoint, terms } = opening;
  const { openOlder } = endpoint;
  const mayBeOlder = openOlder !== undefined && terms.revisions.includes("2024-11-05");
  if (remembered === "sse-pair" && mayBeOlder) {
    try {
      return await openOlderWay(opening, openOlder);
    } catch (error) {
      // The server may have moved on to Streamable HTTP since.
      if (!suggestsLegacy(error)) throw error;
    }
  }
  const wire = await openWire(opening, () => endpoint.open());
  try {
    const agreement = await negotiate(wire.caller, terms, remembered === "legacy" ? "legacy" : undefined);
    return { connection: connectionOver(wire, agreement, terms), era: agreement.era };
  } catch (error) {
    const hasDied = !wire.isOpen;
    await wire.close();
    if (mayBeOlder && refusesPost(error)) return openOlderWay(opening, openOlder, error);
    if (!hasDied) throw error;
    const death = deathOf(wire, error);
    if (mayHaveDiedOfProbe(opening, remembered)) return openLegacy(opening, death);
    throw death;
  }
}

/**
 * Whether a server that ended before it answered anything may be a legacy one. Some of those exit at a first message that
 * is not `initialize`, which cannot be told from a program that fails on its own: neither says a word. To the spec, no
 * answer to the probe means legacy (stdio, "Backward Compatibility"), so such a server gets one more start, with the
 * handshake. Not so one that could not be started, or was gone before the probe was sent: {@link openWire} tells of
 * those. Nor one that is known to understand the probe, or that was never sent one.
 */
function mayHaveDiedOfProbe({ endpoint, terms }: Opening, remembered: RememberedEra | undefined): boolean {
  const isKnown = remembered === "modern" || remembered === "legacy";
  return endpoint.reopens && !isKnown && new Set(terms.revisions.map(eraOf)).size > 1;
}

async function openLegacy(opening: Opening, death: Error): Promise<Opened> {
  const { endpoint, terms, diagnose } = opening;
  diagnose({
    level: "info",
    message: `The server ended at the first message. Connecting again, with the older handshake. ${death.message}`,
    error: death,
  });
  const wire = await openWire(opening, () => endpoint.open());
  return { connection: await handshake(wire, terms), era: "legacy" };
}

/** Opens the HTTP+SSE pair. If that fails too, the first failure is the one to tell. */
async function openOlderWay(
  opening: Opening,
  openOlder: () => Promise<Transport>,
  firstError?: unknown,
): Promise<Opened> {
  let wire: Wire;
  try {
    wire = await openWire(opening, openOlder);
  } catch (error) {
    throw firstError ?? error;
  }
  return { connection: await handshake(wire, opening.terms), era: "sse-pair" };
}

async function handshake(wire: Wire, terms: Terms): Promise<Connection> {
  try {
    return connectionOver(wire, await initialize(wire.caller, terms), terms);
  } catch (error) {
    const hasDied = !wire.isOpen;
    await wire.close();
    throw hasDied ? deathOf(wire, error) : error;
  }
}

function deathOf(wire: Wire, cause?: unknown): Error {
  const message = "The server closed the connection before anything was agreed on.";
  return wire.failure ?? new TransportError("CONNECTION_LOST", message, { cause });
}

async function openWire(opening: Opening, open: () => Promise<Transport>): Promise<Wire> {
  const { listener, callerOptions } = opening;
  const { signal } = opening.terms;
  const transport = await untilAborted(open(), signal, (late) => void late.close());
  try {
    const wire = await untilAborted(Wire.open(transport, listener, callerOptions, signal), signal);
    if (!wire.isOpen) throw deathOf(wire);
    return wire;
  } catch (error) {
    await transport.close();
    throw error;
  }
}

/** What was agreed on over a wire, ready for use. */
export function connectionOver(wire: Wire, agreement: Agreement, terms: Terms): Connection {
  wire.agreement = agreement;
  const meta = agreement.era === "modern" ? modernMeta(terms, agreement.revision) : undefined;
  return new Connection(wire, agreement, meta);
}

/** Whether a server that refuses like this may be one that takes no POST at its address (HTTP+SSE, 2024-11-05). */
function refusesPost(error: unknown): boolean {
  const status: unknown = isObject(error) ? error["status"] : undefined;
  return status === 400 || status === 404 || status === 405;
}
