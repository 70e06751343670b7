import { expect, test } from "vitest";
import { decodeHttp, looksLikeHttp } from "../../../src/wire/decode/http.ts";

const lines = (...parts: string[]): Buffer => Buffer.from(parts.join("\r\n"));

test("decodeHttp() pairs requests with their answers over a kept-alive connection", () => {
  const toServer = lines(
    "POST /mcp HTTP/1.1",
    "Content-Length: 5",
    "",
    "firstPOST /mcp HTTP/1.1",
    "Content-Length: 6",
    "",
    "second",
  );
  const toClient = lines(
    "HTTP/1.1 200 OK",
    "Content-Length: 3",
    "",
    "oneHTTP/1.1 202 Accepted",
    "Content-Length: 0",
    "",
    "",
  );

  const { exchanges, upgraded } = decodeHttp(toServer, toClient);

  expect(upgraded).toBeUndefined();
  expect(
    exchanges.map(({ request, response }) => [request.body.toString(), response?.startLine, response?.body.toString()]),
  ).toEqual([
    ["first", "HTTP/1.1 200 OK", "one"],
    ["second", "HTTP/1.1 202 Accepted", ""],
  ]);
});

test("decodeHttp() joins chunks, and says when the last one is missing", () => {
  const request = lines("GET /mcp HTTP/1.1", "Host: localhost", "", "");
  const head = ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "4", "data", "6", ": here"];

  const whole = decodeHttp(request, lines(...head, "0", "", "")).exchanges[0]?.response;
  const cut = decodeHttp(request, lines(...head, "10", "no")).exchanges[0]?.response;

  expect([whole?.body.toString(), whole?.isComplete]).toEqual(["data: here", true]);
  expect([cut?.body.toString(), cut?.isComplete]).toEqual(["data: here", false]);
});

test("decodeHttp() passes over interim answers", () => {
  const toServer = lines("POST /mcp HTTP/1.1", "Expect: 100-continue", "Content-Length: 2", "", "{}");
  const toClient = lines("HTTP/1.1 100 Continue", "", "HTTP/1.1 200 OK", "Content-Length: 2", "", "{}");

  expect(decodeHttp(toServer, toClient).exchanges[0]?.response?.startLine).toBe("HTTP/1.1 200 OK");
});

test("decodeHttp() reads an answer without a length to the end of the connection", () => {
  const { exchanges } = decodeHttp(lines("GET / HTTP/1.1", "", ""), lines("HTTP/1.1 200 OK", "", "to the end"));

  expect(exchanges[0]?.response?.body.toString()).toBe("to the end");
});

test("hands over what follows a switch of protocols", () => {
  const toServer = lines("GET / HTTP/1.1", "Upgrade: websocket", "", "frames up");
  const toClient = lines("HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "", "frames down");

  const { upgraded } = decodeHttp(toServer, toClient);

  expect([upgraded?.toServer.toString(), upgraded?.toClient.toString()]).toEqual(["frames up", "frames down"]);
});

test("looksLikeHttp() tells HTTP from lines of JSON", () => {
  expect(looksLikeHttp(lines("POST /mcp?a=b HTTP/1.1", "Host: localhost"))).toBe(true);
  expect(looksLikeHttp(Buffer.from('{"jsonrpc":"2.0"}\n'))).toBe(false);
  expect(looksLikeHttp(Buffer.alloc(0))).toBe(false);
});
