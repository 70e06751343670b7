import { negotiate, refusesPost, suggestsLegacy } from "../negotiation/negotiate.ts";
import type { RememberedEra } from "../negotiation/server-memory.ts";
import { Connection } from "./connection.ts";
import { closeQuietly, deathOf, openWire, type Opened, type Opening } from "./open-wire.ts";

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
