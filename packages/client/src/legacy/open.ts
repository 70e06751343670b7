import { eraOf, ProtocolViolation } from "@toolwire/protocol";
import type { Terms } from "../connection/agreement.ts";
import { initialize } from "../connection/negotiate.ts";
import type { RememberedEra } from "../connection/server-memory.ts";
import type { Transport } from "../target/endpoint.ts";
import { after, follow } from "../waiting.ts";
import { Connection } from "../connection/connection.ts";
import { closeQuietly, deathOf, openWire, type Opened, type Opening } from "../connection/open.ts";
import type { Wire } from "../connection/wire.ts";

/**
 * Starts a server again that has ended at the first question, and this time begins with the handshake, if it may need
 * that.
 */
export async function openAgain(
  opening: Opening,
  remembered: RememberedEra | undefined,
  death: Error,
): Promise<Opened> {
  if (!mayHaveDiedOfProbe(opening, remembered)) throw death;
  const { endpoint, terms, diagnose } = opening;
  diagnose({
    level: "info",
    message: `The server ended at the first message. Connecting by the older handshake. ${death.message}`,
    error: death,
  });
  const wire = await openWire(opening, endpoint.open());
  return { connection: await handshake(wire, terms), era: "legacy" };
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

/**
 * Opens the HTTP+SSE pair where there was one before. A server that has moved on may still have a stream at this address,
 * which never says where to post: it gets no longer than any server that stays silent at the first question.
 */
export async function openRememberedPair(opening: Opening, openOlder: () => Promise<Transport>): Promise<Opened> {
  const { terms } = opening;
  const stop = new AbortController();
  const timer = after(terms.probeTimeout, () => stop.abort());
  const forget = follow(terms.signal, stop);
  let wire: Wire;
  try {
    wire = await openWire({ ...opening, terms: { ...terms, signal: stop.signal } }, openOlder());
  } finally {
    clearTimeout(timer);
    forget?.();
  }
  return { connection: await handshake(wire, terms), era: "sse-pair" };
}

/** Opens the HTTP+SSE pair. If there is none, the first failure is the one to tell. */
export async function openPair(
  opening: Opening,
  openOlder: () => Promise<Transport>,
  firstError: unknown,
): Promise<Opened> {
  let wire: Wire;
  try {
    wire = await openWire(opening, openOlder());
  } catch (error) {
    // One that says where to post, but must not be believed, is there.
    throw error instanceof ProtocolViolation ? error : firstError;
  }
  return { connection: await handshake(wire, opening.terms), era: "sse-pair" };
}

async function handshake(wire: Wire, terms: Terms): Promise<Connection> {
  try {
    return new Connection(wire, await initialize(wire.caller, terms), terms);
  } catch (error) {
    const hasDied = !wire.isOpen;
    await closeQuietly(wire);
    throw hasDied ? deathOf(wire, error) : error;
  }
}
