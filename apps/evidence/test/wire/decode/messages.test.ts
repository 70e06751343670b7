import { expect, test } from "vitest";
import { decodeMessages } from "../../../src/wire/decode/messages.ts";

const lines = (...parts: string[]): Buffer => Buffer.from(parts.join("\r\n"));
const post = (path: string, body: string, ...headers: string[]): Buffer =>
  lines(
    `POST ${path} HTTP/1.1`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    ...headers,
    "",
    body,
  );
const events = (...parts: string[]): Buffer => {
  const body = parts.join("\n\n");
  return lines("HTTP/1.1 200 OK", "Content-Type: text/event-stream", `Content-Length: ${body.length}`, "", body);
};

test("decodeMessages() reads both directions of a pipe, and what on it is no JSON", () => {
  const messages = decodeMessages([
    { toServer: Buffer.from('{"id":1}\n\n{"id":2}\n'), toClient: Buffer.from('debug!\n{"id":1}\n{"cut') },
  ]);

  expect(messages.map(({ sender, message, isJson }) => [sender, message, isJson])).toEqual([
    ["client", { id: 1 }, true],
    ["client", { id: 2 }, true],
    ["server", "debug!", false],
    ["server", { id: 1 }, true],
  ]);
});

test("decodeMessages() knows the session of HTTP exchanges, and the revision of their header", () => {
  const opened = lines(
    "HTTP/1.1 200 OK",
    "Content-Type: application/json",
    "Mcp-Session-Id: s1",
    "Content-Length: 8",
    "",
    '{"id":1}',
  );
  const messages = decodeMessages([
    {
      toServer: Buffer.concat([
        post("/mcp", '{"id":1}'),
        post("/mcp", '{"id":2}', "MCP-Protocol-Version: 2025-06-18", "Mcp-Session-Id: s1"),
        post("/mcp", '{"id":3}'),
      ]),
      toClient: Buffer.concat([opened, events('data: {"id":2}', ": comment", "id: 7\ndata:", "data: cut")]),
    },
  ]);

  expect(messages.map(({ sender, message, scope, header }) => [sender, message, scope, header])).toEqual([
    ["client", { id: 1 }, "session s1", undefined],
    ["server", { id: 1 }, "session s1", undefined],
    ["client", { id: 2 }, "session s1", "2025-06-18"],
    ["server", { id: 2 }, "session s1", "2025-06-18"],
    ["client", { id: 3 }, "connection 1, request 3", undefined],
  ]);
});

test("decodeMessages() puts the two connections of HTTP+SSE together", () => {
  const messages = decodeMessages([
    {
      toServer: lines("GET /sse HTTP/1.1", "", ""),
      toClient: events("event: endpoint\ndata: /messages?sessionId=a", 'event: message\ndata: {"id":1}', ""),
    },
    {
      toServer: post("/messages?sessionId=a", '{"id":1}'),
      toClient: lines("HTTP/1.1 202 Accepted", "Content-Length: 0", "", ""),
    },
  ]);

  expect(messages.map(({ sender, scope }) => [sender, scope])).toEqual([
    ["server", "/messages?sessionId=a"],
    ["client", "/messages?sessionId=a"],
  ]);
});

test("decodeMessages() leaves out requests to an authorization server at the same origin", () => {
  const answer = lines("HTTP/1.1 200 OK", "Content-Type: application/json", "Content-Length: 2", "", "{}");
  for (const path of [
    "/register",
    "/oauth/register",
    "/token",
    "/authorize?x=1",
    "/.well-known/oauth-authorization-server",
  ]) {
    expect(decodeMessages([{ toServer: post(path, '{"client_name":"x"}'), toClient: answer }])).toEqual([]);
  }
  expect(decodeMessages([{ toServer: post("/tokens", '{"id":1}'), toClient: answer }])).toHaveLength(2);
});
