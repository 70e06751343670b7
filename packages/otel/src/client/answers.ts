/** Requests of a legacy server that a client answers: the client is the server of these. */
import { type Attributes, context, ROOT_CONTEXT, SpanKind, trace } from "@opentelemetry/api";
import type { AnswerObservation, ReceivedRequest } from "@toolwire/client";
import { Attribute, ErrorType, OTHER, SERVER_REQUESTS } from "../conventions/names.ts";
import { endingOfAnswer } from "../conventions/outcome.ts";
import { extractContext, remoteSpanOf } from "../context/carrier.ts";
import { Operation } from "../recording/operation.ts";
import { type ClientParts, serverAttributes } from "./sent-operation.ts";

/**
 * Observes the answer to a request of a server. A server is not trusted with our traces: its own is linked, and the answer begins a
 * trace, unless it is a part of the trace in which the message was received.
 */
export function observeAnswer(received: ReceivedRequest, parts: ClientParts): AnswerObservation {
  const { settings, answerDurations } = parts;
  const { method, params, id, server } = received;
  const { _meta: meta } = (params ?? {}) as { readonly _meta?: object };
  const sent = remoteSpanOf(extractContext(meta, false));
  const name = SERVER_REQUESTS.has(method) ? method : OTHER;
  const dimensions: Attributes = { [Attribute.Method]: name, ...serverAttributes(server) };
  const operation = new Operation({
    tracer: settings.tracer,
    durations: answerDurations,
    kind: SpanKind.SERVER,
    name,
    parent: ROOT_CONTEXT,
    links: sent && [{ context: sent }],
    details: { [Attribute.RequestId]: String(id).slice(0, 128) },
    dimensions,
  });
  return {
    run: (work) => context.with(trace.setSpan(ROOT_CONTEXT, operation.span), work),
    end(outcome) {
      if (outcome === "cancelled") operation.end({ errorType: ErrorType.Cancelled });
      else operation.end("error" in outcome ? endingOfAnswer(outcome.error) : {});
    },
  };
}
