import { ProtocolViolation } from "@toolwire/protocol";
import type { OpenFailure, OtherTransport, Terms } from "../eras/era.ts";
import type { RememberedEra } from "../eras/server-memory.ts";
import type { Endpoint, Transport } from "../target/endpoint.ts";
import { isUnknownEndpoint } from "../transports/refusal.ts";
import { createSsePairChannel } from "./http/sse-pair.ts";

/**
 * The HTTP+SSE pair, where the server was last reached by it. A server that has moved on may still have a stream at this
 * address that never says where to post. It gets no longer than a server that stays silent at the first request.
 */
export function rememberedTransport(
  endpoint: Endpoint,
  terms: Terms,
  remembered: RememberedEra,
): OtherTransport | undefined {
  const open = remembered === "sse-pair" ? ssePairOpener(endpoint, terms) : undefined;
  return open && { open, remembered, openTimeout: terms.probeTimeout };
}

/**
 * The transport to try after the usual one has failed: the HTTP+SSE pair if the address takes no POST, or a new start of
 * a program that ended at the first request.
 */
export function otherTransport(endpoint: Endpoint, terms: Terms, failure: OpenFailure): OtherTransport | undefined {
  const { error, death } = failure;
  const openPair = isUnknownEndpoint(error) ? ssePairOpener(endpoint, terms) : undefined;
  if (openPair !== undefined) {
    return {
      open: openPair,
      remembered: "sse-pair",
      // If there is no pair, the first failure says more. A pair that breaks the rules is there.
      explain: (failed) => (failed instanceof ProtocolViolation ? failed : error),
    };
  }
  if (death === undefined || !mayHaveDiedOfProbe(endpoint, failure)) return undefined;
  const message = `The server ended at the first message. Connecting by the older handshake. ${death.message}`;
  return { open: () => endpoint.open(), remembered: "legacy", notice: { message, error: death } };
}

/** Opens the HTTP+SSE pair of 2024-11-05 at an endpoint; `undefined` if it cannot be there or that revision is not offered. */
function ssePairOpener({ http }: Endpoint, { revisions }: Terms): (() => Promise<Transport>) | undefined {
  if (http === undefined || !revisions.includes("2024-11-05")) return undefined;
  return async () => createSsePairChannel(http.url, http.options);
}

/**
 * Whether a server that ended before it answered anything may be a legacy one. Some of those exit at a first message that
 * is not `initialize`, which looks the same as a program that fails on its own: neither says a word. For the specification,
 * no answer to the probe means legacy (stdio, "Backward Compatibility"), so such a server gets one more start, with the
 * handshake. A server that could not be started, or ended before the probe was sent, fails earlier and does not get here.
 * A server that is known to understand the probe, or was not sent one, is not started again either.
 */
function mayHaveDiedOfProbe({ reopens }: Endpoint, { remembered, hasAlternatives }: OpenFailure): boolean {
  const isKnown = remembered === "modern" || remembered === "legacy";
  return reopens && !isKnown && hasAlternatives;
}
