import { expect, test } from "vitest";
import * as withNode from "../../../../src/http.ts";
import * as withoutNode from "../../../../src/http-without-node.ts";

test("/http exports the same names in runtimes with and without node:http", () => {
  expect(Object.keys(withoutNode).toSorted()).toEqual(Object.keys(withNode).toSorted());
});

test("without node:http, the functions that need it say what to use instead", async () => {
  const expected = { code: "UNSUPPORTED", message: expect.stringContaining("createHttpHandler(server)") };
  expect(() => withoutNode.createNodeHandler()).toThrow(expect.objectContaining(expected));
  await expect(withoutNode.serveHttp()).rejects.toMatchObject(expected);
});
