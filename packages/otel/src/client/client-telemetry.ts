import type { ClientObserver, ObservedServer } from "@toolwire/client";
import { expectFunction, expectOptions, type OptionNames } from "@toolwire/protocol/internal";
import { Attribute, Metric } from "../conventions/names.ts";
import { endingOfFailure } from "../conventions/outcome.ts";
import { BoundedNames } from "../recording/bounded-names.ts";
import { createDurations } from "../recording/operation.ts";
import { readTelemetryOptions, TELEMETRY_OPTIONS, type TelemetryOptions } from "../recording/options.ts";
import { observeAnswer } from "./answers.ts";
import { type ClientParts, SentOperation, serverAttributes } from "./sent-operation.ts";

/** The options of {@link clientTelemetry}. */
export interface ClientTelemetryOptions extends TelemetryOptions {
  /**
   * Whether a server gets to know the trace of its requests. It learns ids that mean nothing to others, and the `tracestate`, in which
   * vendors keep what they like. Default: every server does.
   */
  readonly propagate?: ((server: ObservedServer) => boolean) | undefined;
}

const OPTIONS: OptionNames<ClientTelemetryOptions> = { ...TELEMETRY_OPTIONS, propagate: true };

/**
 * Telemetry of a client, by OpenTelemetry's conventions for MCP: a span and a duration for each request that is sent, with the trace
 * passed on in its `_meta`. Give it to `connect` as `observe`; one serves any number of clients. Register an OpenTelemetry SDK first;
 * without one, nothing is recorded.
 *
 * @example
 * ```ts
 * const client = await connect("https://example.com/mcp", { observe: clientTelemetry() });
 * ```
 */
export function clientTelemetry(options: ClientTelemetryOptions = {}): ClientObserver {
  const { propagate = () => true } = expectOptions("clientTelemetry", options, OPTIONS);
  const settings = readTelemetryOptions(options);
  const { meter } = settings;
  const parts: ClientParts = {
    settings,
    durations: createDurations(meter, Metric.ClientOperation, "Duration of requests that were sent."),
    answerDurations: createDurations(meter, Metric.ServerOperation, "Duration of requests, from arrival to answer."),
    sessionDurations: createDurations(meter, Metric.ClientSession, "How long clients were connected."),
    names: new BoundedNames(),
    propagates: expectFunction("propagate", propagate),
  };
  if (!settings.makesSpans) return { request: (request) => new SentOperation(request, parts) };
  return {
    request: (request) => new SentOperation(request, parts),
    question: (received) => observeAnswer(received, parts),
    session({ server }) {
      const start = performance.now();
      return {
        end(error) {
          const errorType = error === undefined ? undefined : endingOfFailure(error).errorType;
          parts.sessionDurations.record((performance.now() - start) / 1000, {
            ...serverAttributes(server),
            ...(errorType !== undefined && { [Attribute.ErrorType]: errorType }),
          });
        },
      };
    },
  };
}
