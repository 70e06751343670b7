import {
  type Attributes,
  type Context,
  type Histogram,
  isSpanContextValid,
  type Link,
  type Meter,
  type Span,
  type SpanKind,
  SpanStatusCode,
  type Tracer,
} from "@opentelemetry/api";
import { Attribute, BUCKETS } from "../conventions/names.ts";
import { boundedCode, type Ending } from "../conventions/outcome.ts";

/** A histogram of durations in seconds, with the buckets of the conventions. */
export function createDurations(meter: Meter, name: string, description: string): Histogram {
  return meter.createHistogram(name, { description, unit: "s", advice: { explicitBucketBoundaries: BUCKETS } });
}

/** The beginning of an operation. */
export interface OperationStart {
  readonly tracer: Tracer;
  readonly durations: Histogram;
  readonly kind: SpanKind.CLIENT | SpanKind.SERVER;
  readonly name: string;
  readonly parent: Context;
  readonly links?: Link[] | undefined;
  /** The attributes of the span beyond those of the metric. */
  readonly details: Attributes;
  /** The attributes of the metric, whose values are bounded in number. The span has them, too. */
  readonly dimensions: Attributes;
}

/** One request, as a span and as a measured duration. */
export class Operation {
  readonly span: Span;
  readonly #start = performance.now();
  readonly #durations: Histogram;
  #dimensions: Attributes;

  constructor({ tracer, durations, kind, name, parent, links, details, dimensions }: OperationStart) {
    this.#durations = durations;
    this.#dimensions = dimensions;
    const attributes = { ...dimensions, ...details };
    this.span = tracer.startSpan(name, { kind, attributes, ...(links !== undefined && { links }) }, parent);
  }

  /** Whether it is known which tool or prompt it is about. */
  get isNamed(): boolean {
    return Attribute.Tool in this.#dimensions || Attribute.Prompt in this.#dimensions;
  }

  /** The place of the operation in its trace, for logs. */
  get trace(): { readonly traceId: string; readonly spanId: string } | undefined {
    const spanContext = this.span.spanContext();
    return isSpanContextValid(spanContext) ? { traceId: spanContext.traceId, spanId: spanContext.spanId } : undefined;
  }

  /** Adds what was not known when the operation began. */
  learn(name: string, dimensions: Attributes): void {
    this.span.updateName(name).setAttributes(dimensions);
    this.#dimensions = { ...this.#dimensions, ...dimensions };
  }

  /** Ends the operation. `pending` is an attribute that is not known yet: the span keeps its time, and waits for it. */
  end({ errorType, code, message, asksForInput }: Ending, pending?: Promise<Attributes>): void {
    const { span } = this;
    if (code !== undefined) span.setAttribute(Attribute.StatusCode, String(code));
    if (errorType !== undefined) {
      span.setAttribute(Attribute.ErrorType, errorType);
      span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
    }
    if (asksForInput === true) span.setAttribute(Attribute.ResultType, "input_required");
    const seconds = (performance.now() - this.#start) / 1000;
    this.#durations.record(seconds, { ...this.#dimensions, ...boundedEnding(errorType, code) });
    if (pending === undefined) return span.end();
    const endTime = performance.now();
    void pending.then(
      (attributes) => span.setAttributes(attributes).end(endTime),
      () => span.end(endTime),
    );
  }
}

/** The attributes of a metric that say how an operation ended. */
function boundedEnding(errorType: string | undefined, code: number | undefined): Attributes {
  if (code === undefined) return errorType === undefined ? {} : { [Attribute.ErrorType]: errorType };
  const bounded = boundedCode(code);
  return { [Attribute.StatusCode]: bounded, ...(errorType !== undefined && { [Attribute.ErrorType]: bounded }) };
}
