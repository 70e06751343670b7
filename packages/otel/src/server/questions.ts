/** Requests that a server sends to a legacy client while it serves one: the server is the client of these. */
import { type Attributes, context, SpanKind, trace } from "@opentelemetry/api";
import type { ObservedQuestion, QuestionObservation } from "@toolwire/server";
import { Attribute } from "../conventions/names.ts";
import { networkOf } from "../conventions/network.ts";
import { endingOfFailure } from "../conventions/outcome.ts";
import { injectContext } from "../context/carrier.ts";
import { Operation } from "../recording/operation.ts";
import type { ServerParts } from "./server-parts.ts";

/** Observes a question: a span below that of the request for which the client is asked. */
export function observeQuestion(question: ObservedQuestion, parts: ServerParts): QuestionObservation {
  const { settings, questionDurations } = parts;
  const parent = context.active();
  if (!settings.makesSpans) return { meta: injectContext(parent, settings.baggage), end() {} };
  const { method } = question;
  const dimensions: Attributes = {
    [Attribute.Method]: method,
    [Attribute.ProtocolVersion]: question.context.revision,
    ...networkOf(question.origin.binding),
  };
  const operation = new Operation({
    tracer: settings.tracer,
    durations: questionDurations,
    kind: SpanKind.CLIENT,
    name: method,
    parent,
    details: {},
    dimensions,
  });
  return {
    meta: injectContext(trace.setSpan(parent, operation.span), settings.baggage),
    sent: (id) => void operation.span.setAttribute(Attribute.RequestId, String(id)),
    end: (outcome) => operation.end("error" in outcome ? endingOfFailure(outcome.error) : {}),
  };
}
