/** The span of one request of a client, and the attributes that it may have. */
import { type Attributes, type Context, context, type Link, SpanKind, trace } from "@opentelemetry/api";
import type { ObservedRequest, RequestOutcome } from "@toolwire/server";
import { Attribute, ErrorType, EXECUTE_TOOL, OTHER } from "../conventions/names.ts";
import { networkOf } from "../conventions/network.ts";
import { type Ending, endingOfAnswer, endingOfResult } from "../conventions/outcome.ts";
import { extractContext, remoteSpanOf } from "../context/carrier.ts";
import { Operation } from "../recording/operation.ts";
import { writeValue } from "../recording/value.ts";
import type { ServerParts } from "./server-parts.ts";

/** The place of a request in traces: what its spans are below, and what they are linked to. */
export interface Place {
  readonly parent: Context;
  readonly links: Link[] | undefined;
}

/**
 * Finds the place of a request. The trace of a trusted caller goes on, and the span around the HTTP request is linked. Callers that are
 * not trusted could otherwise write into traces of others and have all of theirs recorded at our cost: theirs are linked only.
 */
export function placeOf(request: ObservedRequest, { settings, trusts }: ServerParts): Place {
  const ambient = context.active();
  const isTrusted = trusts(request);
  const sent = extractContext(request.context._meta, isTrusted && settings.baggage);
  if (sent === undefined) return { parent: ambient, links: undefined };
  const linked = remoteSpanOf(isTrusted ? ambient : sent);
  return { parent: isTrusted ? sent : ambient, links: linked && [{ context: linked }] };
}

/** Begins the operation of a request, and makes the context in which its handler runs. */
export function beginServed(request: ObservedRequest, parts: ServerParts): { operation: Operation; inside: Context } {
  const { settings, durations } = parts;
  const { parent, links } = placeOf(request, parts);
  const { tool, prompt, isRouted } = request;
  const method = isRouted ? request.method : OTHER;
  const target = tool ?? prompt;
  const name = target === undefined ? method : `${method} ${target}`;
  const dimensions: Attributes = {
    [Attribute.Method]: method,
    ...(tool !== undefined && { [Attribute.Tool]: tool }),
    ...(prompt !== undefined && { [Attribute.Prompt]: prompt }),
    ...(method === "tools/call" && { [Attribute.Operation]: EXECUTE_TOOL }),
    [Attribute.ProtocolVersion]: request.context.revision,
    ...networkOf(request.origin.binding),
  };
  const details = detailsOf(request, settings.record);
  const operation = new Operation({
    tracer: settings.tracer,
    durations,
    kind: SpanKind.SERVER,
    name,
    parent,
    links,
    details,
    dimensions,
  });
  return { operation, inside: trace.setSpan(parent, operation.span) };
}

type Record = ServerParts["settings"]["record"];

function detailsOf(request: ObservedRequest, record: Record): Attributes {
  const { tool } = request;
  const { arguments: args } = (request.params ?? {}) as { readonly arguments?: unknown };
  const written =
    tool === undefined || record.arguments === undefined || args === undefined
      ? undefined
      : writeValue(record.arguments, args, tool, record.maxLength);
  return {
    [Attribute.RequestId]: String(request.context.requestId),
    ...(written !== undefined && { [Attribute.Arguments]: written }),
    ...resourceDetails(request, record),
  };
}

/** The URIs of families hold what callers fill in, so that only the name of a family is recorded unless more is asked for. */
function resourceDetails(request: ObservedRequest, { uris }: Record): Attributes {
  if (!request.isRouted || !request.method.startsWith("resources/")) return {};
  const { resource } = request;
  if (resource === undefined) return {};
  const isShown = uris === "all" || (uris === "static" && isStatic(resource));
  return { [Attribute.ResourceName]: resource.name, ...(isShown && { [Attribute.ResourceUri]: resource.uri }) };
}

function isStatic({ values }: NonNullable<ObservedRequest["resource"]>): boolean {
  return values === undefined || Object.keys(values).length === 0;
}

/** Ends the operation of a request, and records its result if that is asked for. */
export function endServed(
  operation: Operation,
  request: ObservedRequest,
  outcome: RequestOutcome,
  parts: ServerParts,
): void {
  const { record } = parts.settings;
  const { tool } = request;
  // A gateway knows the tools of an upstream once it is connected, which the first call makes it do.
  if (tool !== undefined && !operation.isNamed) {
    operation.learn(`${request.method} ${tool}`, { [Attribute.Tool]: tool });
  }
  const ending = endingOf(request.method, outcome);
  if (
    outcome.kind === "result" &&
    tool !== undefined &&
    record.results !== undefined &&
    ending.errorType === undefined
  ) {
    const written = writeValue(record.results, outcome.result, tool, record.maxLength);
    if (written !== undefined) operation.span.setAttribute(Attribute.Result, written);
  }
  operation.end(ending, recordSession(operation, request, parts));
}

function endingOf(method: string, outcome: RequestOutcome): Ending {
  if (outcome.kind === "cancelled") return { errorType: ErrorType.Cancelled };
  const ending = outcome.kind === "error" ? endingOfAnswer(outcome.error) : endingOfResult(method, outcome.result);
  return outcome.isTimedOut && ending.errorType !== undefined ? { ...ending, errorType: ErrorType.Timeout } : ending;
}

/** Records the session of a legacy request over HTTP. A hash that is not known yet is resolved to its attribute. */
function recordSession(
  { span }: Operation,
  { context: { era }, origin }: ObservedRequest,
  { settings, hashes }: ServerParts,
): Promise<Attributes> | undefined {
  const { session } = settings.record;
  const id = era === "legacy" && session !== "none" ? origin.header?.("mcp-session-id") : undefined;
  if (id === undefined || !span.isRecording()) return undefined;
  const shown = session === "raw" ? id : hashes.of(id);
  if (typeof shown !== "string") return shown.then((hash) => ({ [Attribute.SessionId]: hash }));
  span.setAttribute(Attribute.SessionId, shown);
  return undefined;
}
