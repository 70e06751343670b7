/** The spans of requests that a client sends, and the attributes that they may have. */
import { type Attributes, type Context, context, type Histogram, SpanKind, trace } from "@opentelemetry/api";
import type { ObservedServer, SentObservation, SentRequest } from "@toolwire/client";
import { Attribute, EXECUTE_TOOL } from "../conventions/names.ts";
import { networkOf } from "../conventions/network.ts";
import { endingOfFailure, endingOfResult } from "../conventions/outcome.ts";
import { injectContext } from "../context/carrier.ts";
import { type BoundedNames, cutName } from "../recording/bounded-names.ts";
import { Operation } from "../recording/operation.ts";
import type { TelemetrySettings } from "../recording/options.ts";
import { writeValue } from "../recording/value.ts";

/** Everything that the observer of a client uses. */
export interface ClientParts {
  readonly settings: TelemetrySettings;
  readonly durations: Histogram;
  readonly answerDurations: Histogram;
  readonly sessionDurations: Histogram;
  readonly names: BoundedNames;
  /** Whether the trace goes on at this server. */
  readonly propagates: (server: ObservedServer) => boolean;
}

/** The attributes that say which server it is. */
export function serverAttributes({ binding, host, port, revision }: ObservedServer): Attributes {
  return {
    ...(revision !== undefined && { [Attribute.ProtocolVersion]: revision }),
    ...networkOf(binding),
    ...(host !== undefined && { [Attribute.ServerAddress]: host }),
    ...(port !== undefined && { [Attribute.ServerPort]: port }),
  };
}

/** The observation of one attempt. It keeps the context of the call for the attempts after it. */
export class SentOperation implements SentObservation {
  readonly meta: SentObservation["meta"];
  /** The context in which the application has made the call. */
  readonly caller: Context;
  readonly #operation: Operation | undefined;
  readonly #parts: ClientParts;
  readonly #method: string;
  readonly #tool: string | undefined;
  #isOver = false;

  constructor(request: SentRequest, parts: ClientParts) {
    const { previous, method, server } = request;
    const { settings, propagates } = parts;
    // Later attempts begin in the code that received the response before, which knows nothing of the caller's context.
    this.caller = previous instanceof SentOperation ? previous.caller : context.active();
    this.#parts = parts;
    this.#method = method;
    this.#tool = method === "tools/call" ? textIn(request.params, "name") : undefined;
    this.#operation = settings.makesSpans ? this.#begin(request) : undefined;
    const inside = this.#operation ? trace.setSpan(this.caller, this.#operation.span) : this.caller;
    this.meta = propagates(server) ? injectContext(inside, settings.baggage) : undefined;
  }

  #begin({ method, params, server }: SentRequest): Operation {
    const { settings, durations, names } = this.#parts;
    const { record } = settings;
    const tool = this.#tool;
    const prompt = method === "prompts/get" ? textIn(params, "name") : undefined;
    const target = tool ?? prompt;
    const key = tool === undefined ? Attribute.Prompt : Attribute.Tool;
    const dimensions: Attributes = {
      [Attribute.Method]: names.of(method),
      ...(target !== undefined && { [key]: names.of(target) }),
      ...(method === "tools/call" && { [Attribute.Operation]: EXECUTE_TOOL }),
      ...serverAttributes(server),
    };
    const { arguments: args } = (params ?? {}) as { readonly arguments?: unknown };
    const written =
      tool === undefined || record.arguments === undefined || args === undefined
        ? undefined
        : writeValue(record.arguments, args, tool, record.maxLength);
    const uri = record.uris === "all" && method.startsWith("resources/") ? textIn(params, "uri") : undefined;
    return new Operation({
      tracer: settings.tracer,
      durations,
      kind: SpanKind.CLIENT,
      name: target === undefined ? cutName(method) : `${method} ${cutName(target)}`,
      parent: this.caller,
      details: {
        ...(target !== undefined && { [key]: cutName(target) }),
        ...(written !== undefined && { [Attribute.Arguments]: written }),
        ...(uri !== undefined && { [Attribute.ResourceUri]: uri }),
      },
      dimensions,
    });
  }

  sent(id: string | number): void {
    this.#operation?.span.setAttribute(Attribute.RequestId, String(id));
  }

  /** The stream of a subscription may stay open for days, so its span ends here. */
  acknowledged(): void {
    this.end({ result: {} });
  }

  end(outcome: { readonly result: object } | { readonly error: unknown }): void {
    const operation = this.#operation;
    if (operation === undefined || this.#isOver) return;
    this.#isOver = true;
    if ("error" in outcome) return operation.end(endingOfFailure(outcome.error));
    const { record } = this.#parts.settings;
    const ending = endingOfResult(this.#method, outcome.result);
    if (this.#tool !== undefined && record.results !== undefined && ending.errorType === undefined) {
      const written = writeValue(record.results, outcome.result, this.#tool, record.maxLength);
      if (written !== undefined) operation.span.setAttribute(Attribute.Result, written);
    }
    operation.end(ending);
  }
}

/** A text in the parameters of a request. */
function textIn(params: object | undefined, member: "name" | "uri"): string | undefined {
  const value = (params as { readonly name?: unknown; readonly uri?: unknown } | undefined)?.[member];
  return typeof value === "string" ? value : undefined;
}
