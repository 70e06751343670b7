import { describe, expect, test } from "vitest";
import { isJsonType, readAccept } from "../../../src/bindings/http/request.ts";

describe("the Accept header", () => {
  test.each([
    [undefined, true, true, false],
    ["*/*", true, true, false],
    ["application/json, text/event-stream", true, true, true],
    ["text/event-stream, application/json", true, true, true],
    ["APPLICATION/JSON , Text/Event-Stream", true, true, true],
    ["application/json", true, false, false],
    ["text/event-stream", false, true, true],
    ["application/*", true, false, false],
    ["text/*", false, true, false],
    ["*/*;q=0.1, text/event-stream;q=0", true, false, false],
    ["application/json;q=0, */*", false, true, false],
    ["application/json;q=0.0", false, false, false],
    ["application/json;q=0.001", true, false, false],
    ["text/html", false, false, false],
    ["", false, false, false],
  ])("%s", (header, json, events, namesEvents) => {
    expect(readAccept(header)).toEqual({ json, events, namesEvents });
  });
});

describe("the Content-Type header", () => {
  test.each([
    ["application/json", true],
    ["application/json; charset=utf-8", true],
    ['Application/JSON;charset="UTF-8"', true],
    ["application/json;profile=x", true],
    ["application/json; charset=latin1", false],
    ["text/plain", false],
    ["application/x-www-form-urlencoded", false],
    ["application/json-patch+json", false],
    [undefined, false],
    ["", false],
  ])("%s", (header, expected) => {
    expect(isJsonType(header)).toBe(expected);
  });
});
