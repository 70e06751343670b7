/** The trace context in the `_meta` of messages (SEP-414): read from peers that may write anything there, and written. */
import {
  type Context,
  propagation,
  ROOT_CONTEXT,
  type SpanContext,
  trace,
  type TextMapGetter,
} from "@opentelemetry/api";

/** The most characters of `traceparent` and `tracestate`. Both are far shorter (W3C Trace Context, section 3.3.1.5). */
const MAX_TRACE = 512;
/** The most bytes of `baggage` (W3C Baggage, section 3.3.2). */
const MAX_BAGGAGE = 8192;

/** The keys that are read and written, and no others, whatever propagators are registered. */
type Carrier = Partial<Record<"traceparent" | "tracestate" | "baggage", string>>;

const GETTER: TextMapGetter<Carrier> = {
  get: (carrier, key) => (Object.hasOwn(carrier, key) ? carrier[key as keyof Carrier] : undefined),
  keys: (carrier) => Object.keys(carrier),
};

/** The context that a peer has sent, or `undefined` if it has sent none that is valid. Invalid is absent, never an error. */
export function extractContext(meta: object | undefined, withBaggage: boolean): Context | undefined {
  const { traceparent, tracestate, baggage } = (meta ?? {}) as { readonly [key: string]: unknown };
  const carrier: Carrier = {};
  if (isShort(traceparent, MAX_TRACE)) carrier.traceparent = traceparent;
  if (isShort(tracestate, MAX_TRACE)) carrier.tracestate = tracestate;
  if (withBaggage && isShort(baggage, MAX_BAGGAGE)) carrier.baggage = baggage;
  if (carrier.traceparent === undefined && carrier.baggage === undefined) return undefined;
  const extracted = propagation.extract(ROOT_CONTEXT, carrier, GETTER);
  return extracted === ROOT_CONTEXT ? undefined : extracted;
}

/** The position in a trace that a context holds, if it holds one. */
export function remoteSpanOf(context: Context | undefined): SpanContext | undefined {
  return context && trace.getSpanContext(context);
}

/** The members of `_meta` that carry a context. A member that is `undefined` removes one that is there. */
export type CarriedMeta = { readonly [Key in keyof Carrier]-?: string | undefined };

/**
 * The members of `_meta` that carry a context on; `undefined` if there is nothing to carry. All three are replaced: a gateway passes on
 * the `_meta` of its callers, whose `tracestate` belongs to another `traceparent`, and whose baggage is for the gateway alone.
 */
export function injectContext(context: Context, withBaggage: boolean): CarriedMeta | undefined {
  const carrier: { [key: string]: string } = {};
  propagation.inject(context, carrier);
  const { traceparent, tracestate, baggage } = carrier;
  const carried: CarriedMeta = {
    traceparent,
    tracestate: tracestate === "" ? undefined : tracestate,
    baggage: withBaggage && isShort(baggage, MAX_BAGGAGE) ? baggage : undefined,
  };
  return carried.traceparent === undefined && carried.baggage === undefined ? undefined : carried;
}

function isShort(value: unknown, limit: number): value is string {
  return typeof value === "string" && value.length <= limit;
}
