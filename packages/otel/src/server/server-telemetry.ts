import { context } from "@opentelemetry/api";
import { expectFunction, expectOptions, type OptionNames } from "@toolwire/protocol/internal";
import type { ObservedRequest, RequestObservation, ServerObserver } from "@toolwire/server";
import { Attribute, CLIENT_NOTIFICATIONS, OTHER } from "../conventions/names.ts";
import { networkOf } from "../conventions/network.ts";
import { boundedCode } from "../conventions/outcome.ts";
import { readTelemetryOptions, TELEMETRY_OPTIONS, type TelemetryOptions } from "../recording/options.ts";
import { observeQuestion } from "./questions.ts";
import { beginServed, endServed, placeOf } from "./served-operation.ts";
import { createServerParts, type ServerParts } from "./server-parts.ts";

/** The options of {@link serverTelemetry}. */
export interface ServerTelemetryOptions extends TelemetryOptions {
  /**
   * Whether the trace that a caller sends goes on here. Otherwise its requests begin traces of their own, with a link. Default: callers
   * that are authenticated, and the program that has started this process.
   */
  readonly trust?: ((request: ObservedRequest) => boolean) | undefined;
}

const OPTIONS: OptionNames<ServerTelemetryOptions> = { ...TELEMETRY_OPTIONS, trust: true };

/**
 * Telemetry of a server, by OpenTelemetry's conventions for MCP: a span and a duration for each request, for each question to a legacy
 * client, and counts of what is open, refused and heard. Give it to `createServer` as `observe`. Register an OpenTelemetry SDK first;
 * without one, nothing is recorded.
 *
 * @example
 * ```ts
 * const server = createServer({ name: "weather", version: "1.0.0", observe: serverTelemetry() });
 * ```
 */
export function serverTelemetry(options: ServerTelemetryOptions = {}): ServerObserver {
  const { trust = isKnown } = expectOptions("serverTelemetry", options, OPTIONS);
  const parts = createServerParts(readTelemetryOptions(options), expectFunction("trust", trust));
  const { settings, sessionDurations, activeSessions, notifications, refusals } = parts;
  if (!settings.makesSpans) {
    return {
      request: (request) => passOn(request, parts),
      question: (question) => observeQuestion(question, parts),
    };
  }
  return {
    request: (request) => observeRequest(request, parts),
    question: (question) => observeQuestion(question, parts),
    refusal({ binding, status, code }) {
      refusals.add(1, {
        ...networkOf(binding),
        ...(status !== undefined && { [Attribute.HttpStatus]: status }),
        ...(code !== undefined && { [Attribute.StatusCode]: boundedCode(code) }),
      });
    },
    notification({ method, origin }) {
      const name = CLIENT_NOTIFICATIONS.has(method) ? method : OTHER;
      notifications.add(1, { [Attribute.Method]: name, ...networkOf(origin.binding) });
    },
    session({ revision, origin }) {
      const attributes = { [Attribute.ProtocolVersion]: revision, ...networkOf(origin.binding) };
      const start = performance.now();
      activeSessions.add(1, attributes);
      return {
        end() {
          activeSessions.add(-1, attributes);
          sessionDurations.record((performance.now() - start) / 1000, attributes);
        },
      };
    },
  };
}

/** A caller that is authenticated, or is the program that has started this process. */
function isKnown({ origin }: ObservedRequest): boolean {
  return origin.principal !== undefined || origin.isLocal === true;
}

/** Lets the trace of a caller go on, without spans of ours. */
function passOn(request: ObservedRequest, parts: ServerParts): RequestObservation {
  const { parent } = placeOf(request, parts);
  return { run: (work) => context.with(parent, work), end() {} };
}

function observeRequest(request: ObservedRequest, parts: ServerParts): RequestObservation {
  const { activeRequests, activeSubscriptions } = parts;
  const { origin } = request;
  const network = networkOf(origin.binding);
  const { operation, inside } = beginServed(request, parts);
  let isSubscription = false;
  activeRequests.add(1, network);
  return {
    trace: operation.trace,
    run: (work) => context.with(inside, work),
    acknowledged() {
      // Its stream may stay open for days: its span would be seen when nobody looks for it any more.
      isSubscription = true;
      activeRequests.add(-1, network);
      activeSubscriptions.add(1, network);
      endServed(operation, request, { kind: "result", result: {}, isTimedOut: false }, parts);
    },
    end(outcome) {
      if (isSubscription) {
        activeSubscriptions.add(-1, network);
        return;
      }
      activeRequests.add(-1, network);
      endServed(operation, request, outcome, parts);
    },
  };
}
