import type { Terms } from "../../negotiation/agreement.ts";
import { initialize } from "../../negotiation/initialize.ts";
import type { Transport } from "../../target/endpoint.ts";
import { LONGEST } from "../../waiting.ts";
import type { Connection } from "../connection.ts";
import { connectionOver, deathOf, openWire, type Opened, type Opening } from "../open-wire.ts";
import type { Wire } from "../wire.ts";

/** Starts a server again that has ended at the first question, and this time begins with the handshake. */
export async function openLegacy(opening: Opening, death: Error): Promise<Opened> {
  const { endpoint, terms, diagnose } = opening;
  diagnose({
    level: "info",
    message: `The server ended at the first message. Connecting again, with the older handshake. ${death.message}`,
    error: death,
  });
  const wire = await openWire(opening, () => endpoint.open());
  return { connection: await handshake(wire, terms), era: "legacy" };
}

/**
 * Opens the HTTP+SSE pair where there was one before. A server that has moved on may still have a stream at this address,
 * which never says where to post: it gets no longer than any server that stays silent at the first question.
 */
export async function openRememberedPair(opening: Opening, openOlder: () => Promise<Transport>): Promise<Opened> {
  const { terms } = opening;
  const late = AbortSignal.timeout(Math.min(terms.probeTimeout, LONGEST));
  const signal = AbortSignal.any([terms.signal ?? late, late]);
  const wire = await openWire({ ...opening, terms: { ...terms, signal } }, openOlder);
  return { connection: await handshake(wire, terms), era: "sse-pair" };
}

/** Opens the HTTP+SSE pair. If that fails too, the first failure is the one to tell. */
export async function openPair(
  opening: Opening,
  openOlder: () => Promise<Transport>,
  firstError: unknown,
): Promise<Opened> {
  let wire: Wire;
  try {
    wire = await openWire(opening, openOlder);
  } catch {
    throw firstError;
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
