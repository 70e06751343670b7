import type { Counter, Histogram, UpDownCounter } from "@opentelemetry/api";
import type { ObservedRequest } from "@toolwire/server";
import { Metric } from "../conventions/names.ts";
import type { TelemetrySettings } from "../recording/options.ts";
import { createDurations } from "../recording/operation.ts";
import { SessionHashes } from "../recording/sessions.ts";

/** Everything that the observer of a server uses. */
export interface ServerParts {
  readonly settings: TelemetrySettings;
  /** Whether the trace of this caller may go on here. */
  readonly trusts: (request: ObservedRequest) => boolean;
  readonly hashes: SessionHashes;
  readonly durations: Histogram;
  readonly questionDurations: Histogram;
  readonly sessionDurations: Histogram;
  readonly activeRequests: UpDownCounter;
  readonly activeSubscriptions: UpDownCounter;
  readonly activeSessions: UpDownCounter;
  readonly notifications: Counter;
  readonly refusals: Counter;
}

/** Makes the instruments of a server. */
export function createServerParts(settings: TelemetrySettings, trusts: ServerParts["trusts"]): ServerParts {
  const { meter } = settings;
  const gauge = (name: string, unit: string, description: string): UpDownCounter =>
    meter.createUpDownCounter(name, { unit, description });
  const counter = (name: string, unit: string, description: string): Counter =>
    meter.createCounter(name, { unit, description });
  return {
    settings,
    trusts,
    hashes: new SessionHashes(),
    durations: createDurations(meter, Metric.ServerOperation, "Duration of requests, from arrival to answer."),
    questionDurations: createDurations(meter, Metric.ClientOperation, "Duration of requests that were sent."),
    sessionDurations: createDurations(meter, Metric.ServerSession, "How long this process has kept sessions."),
    activeRequests: gauge(Metric.ActiveRequests, "{request}", "Requests that are not answered yet."),
    activeSubscriptions: gauge(Metric.ActiveSubscriptions, "{subscription}", "Subscriptions that are open."),
    activeSessions: gauge(Metric.ActiveSessions, "{session}", "Legacy sessions in this process."),
    notifications: counter(Metric.Notifications, "{notification}", "Notifications of clients."),
    refusals: counter(Metric.Refusals, "{message}", "Messages that were refused before they were served."),
  };
}
