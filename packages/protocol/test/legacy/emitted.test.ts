import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { NotificationMethod, RequestMethod } from "../../src/model/index.ts";
import { hasFeature } from "../../src/revisions/features.ts";
import { servesMethod } from "../../src/revisions/methods.ts";
import { eraOf, REVISIONS, type Revision } from "../../src/revisions/revision.ts";
import { translateNotification, translateRequest, translateResult } from "../../src/legacy/translate.ts";
import { SOURCES } from "../spec-data.ts";
import { elicitForm, elicitUrl, notifications, requests, results } from "./neutral-values.ts";

const RESULTS: { readonly [M in RequestMethod]?: string } = {
  "server/discover": "DiscoverResult",
  initialize: "InitializeResult",
  "tools/list": "ListToolsResult",
  "tools/call": "CallToolResult",
  "resources/list": "ListResourcesResult",
  "resources/templates/list": "ListResourceTemplatesResult",
  "resources/read": "ReadResourceResult",
  "prompts/list": "ListPromptsResult",
  "prompts/get": "GetPromptResult",
  "completion/complete": "CompleteResult",
  "elicitation/create": "ElicitResult",
  "sampling/createMessage": "CreateMessageResult",
  "roots/list": "ListRootsResult",
  ping: "EmptyResult",
};

const REQUESTS: { readonly [M in RequestMethod]?: string } = {
  initialize: "InitializeRequest",
  "completion/complete": "CompleteRequest",
  "elicitation/create": "ElicitRequest",
  "sampling/createMessage": "CreateMessageRequest",
};

const NOTIFICATIONS: { readonly [M in NotificationMethod]?: string } = {
  "notifications/progress": "ProgressNotification",
  "notifications/message": "LoggingMessageNotification",
  "notifications/cancelled": "CancelledNotification",
  "notifications/resources/updated": "ResourceUpdatedNotification",
};

/** Whether a method occurs in a revision at all: as a message, or inside a result or a request. */
function occurs(revision: Revision, method: string): boolean {
  const isMessage =
    servesMethod(revision, method, "client-to-server") || servesMethod(revision, method, "server-to-client");
  return isMessage || (eraOf(revision) === "modern" && /^(elicitation|sampling|roots)/.test(method));
}

const CASES = SOURCES.flatMap((source) => REVISIONS.map((revision) => ({ revision, by: source.name, source })));

describe.each(CASES)("messages for $revision are valid by $by", ({ revision, source }) => {
  test.each(keysOf(results).filter((method) => occurs(revision, method)))("the result of %s", (method) => {
    const complaint = smallestComplaint(results[method] as fc.Arbitrary<never>, (result) =>
      source.complaintAbout(revision, RESULTS[method]!, json(translateResult(revision, method, result))),
    );
    expect(complaint).toBeUndefined();
  });

  test.each(keysOf(requests).filter((method) => occurs(revision, method)))("the request %s", (method) => {
    const complaint = smallestComplaint(requests[method] as fc.Arbitrary<never>, (params) =>
      source.complaintAbout(revision, REQUESTS[method]!, requestOf(revision, method, params)),
    );
    expect(complaint).toBeUndefined();
  });

  test.each(keysOf(notifications).filter((method) => occurs(revision, method)))("%s", (method) => {
    const complaint = smallestComplaint(notifications[method] as fc.Arbitrary<never>, (params) => {
      const sent = json({ ...envelopeOf(revision), method, params: translateNotification(revision, method, params) });
      return source.complaintAbout(revision, NOTIFICATIONS[method]!, sent);
    });
    expect(complaint).toBeUndefined();
  });
});

describe.each(CASES.filter(({ revision }) => hasFeature(revision, "urlElicitation")))(
  "messages for $revision are valid by $by",
  ({ revision, source }) => {
    test("a page for the user to visit", () => {
      const complaint = smallestComplaint(elicitUrl, (params) =>
        source.complaintAbout(revision, "ElicitRequest", requestOf(revision, "elicitation/create", params)),
      );
      expect(complaint).toBeUndefined();
    });
  },
);

describe.each(CASES.filter(({ revision }) => revision === "2026-07-28"))(
  "input for $revision is valid by $by",
  ({ source }) => {
    const question = fc.record({
      method: fc.constant("elicitation/create" as const),
      params: fc.oneof(elicitForm, elicitUrl),
    });
    const questions = fc.record({
      resultType: fc.constant("input_required" as const),
      requestState: fc.string(),
      inputRequests: fc.dictionary(fc.stringMatching(/^[a-z]+$/), question),
    });

    test.each(["tools/call", "prompts/get", "resources/read"] as const)("the questions of %s", (method) => {
      const complaint = smallestComplaint(questions, (result) =>
        source.complaintAbout("2026-07-28", "InputRequiredResult", json(translateResult("2026-07-28", method, result))),
      );
      expect(complaint).toBeUndefined();
    });
  },
);

function requestOf(revision: Revision, method: RequestMethod, params: object): unknown {
  const sent: object | undefined = translateRequest(revision, method, params as never);
  const envelope = envelopeOf(revision, 1);
  if (eraOf(revision) === "legacy") return json({ ...envelope, method, params: sent });
  // Requests for input of a modern server travel inside a result, without an envelope.
  if (!servesMethod(revision, method, "client-to-server")) return json({ method, params: sent });
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return json({ ...envelope, method, params: { ...sent, _meta } });
}

/** The members beside `method` and `params`: the schemas leave them out before 2025-11-25. */
function envelopeOf(revision: Revision, id?: number): object {
  return revision >= "2025-11-25" ? { jsonrpc: "2.0", id } : {};
}

/** The smallest of many arbitrary values that leads to a complaint, with the complaint. */
function smallestComplaint<T>(
  values: fc.Arbitrary<T>,
  complaintOf: (value: T) => string | undefined,
): { value: unknown; complaint: string | undefined } | undefined {
  const { counterexample } = fc.check(
    fc.property(values, (value) => complaintOf(freeze(value)) === undefined),
    { numRuns: 150 },
  );
  if (counterexample === null) return undefined;
  return { value: counterexample[0], complaint: complaintOf(counterexample[0]) };
}

/** As the peer sees it. */
function json(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** So that a translation that changes its input in place is found out. */
function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) freeze(inner);
    Object.freeze(value);
  }
  return value;
}

function keysOf<T extends object>(value: T): (keyof T & string)[] {
  return Object.keys(value) as (keyof T & string)[];
}
