import { HttpStatusError } from "@toolwire/client/http";
import { RpcError, TransportError, UsageError } from "@toolwire/client";
import { expect, test } from "vitest";
import { describeSdkError } from "../../src/clients/sdk-errors.ts";
import { describeError } from "../../src/clients/toolwire.ts";

const refusal = { isTemporary: true, isUnread: true, suggestsOtherEra: false, detail: "HTTP status 503" };

test.each([
  ["a server that cannot be reached", new TransportError("CONNECT_FAILED", ""), "no"],
  ["a mistake in the call", new UsageError("UNSUPPORTED", ""), "no"],
  ["a refusal that nobody has read", new RpcError(-32603, "", { refusal }), "no"],
  [
    "a refusal of which that is not known",
    new RpcError(-32603, "", { refusal: { ...refusal, isUnread: false } }),
    "maybe",
  ],
  ["a page that is no answer", new HttpStatusError(502, ""), "maybe"],
  ["a page of somebody who has not read the call", new HttpStatusError(503, "", true), "no"],
  ["a connection that broke", new TransportError("CONNECTION_LOST", ""), "maybe"],
  ["a time that has run out", new TransportError("TIMEOUT", ""), "maybe"],
  ["an error that the server has answered with", new RpcError(-32603, "Internal error"), "unclear"],
  ["an exception of the client", new TypeError("x is not a function"), "unclear"],
])("our client says of %s whether the call has run", (_, error, ran) => {
  expect(describeError(error)).toMatchObject({ type: "failed", ran });
});

test.each([
  ["HTTP 503", Object.assign(new Error("busy"), { code: 503 }), 503, "no"],
  ["HTTP 429", new Error("busy"), 429, "no"],
  ["HTTP 502", new Error("Bad Gateway"), 502, "maybe"],
  [
    "a refused connection",
    Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } }),
    undefined,
    "no",
  ],
  [
    "a reset connection",
    Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNRESET" } }),
    undefined,
    "maybe",
  ],
  ["a time that has run out", Object.assign(new Error("Request timed out"), { code: -32001 }), undefined, "maybe"],
  ["an internal error", Object.assign(new Error("Internal error"), { code: -32603 }), undefined, "unclear"],
])("an error of an official SDK about %s is read as far as it goes", (_, error, status, ran) => {
  expect(describeSdkError(error, status)).toMatchObject({ type: "failed", ran });
});
