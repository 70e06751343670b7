import { type CallToolResult, connect } from "@toolwire/client";
import { type Group, groups } from "@toolwire/client/experimental/groups";
import { createServer, tool } from "@toolwire/server";
import { groups as groupsOf } from "@toolwire/server/experimental/groups";
import { expectTypeOf, test } from "vitest";

const server = createServer({
  name: "x",
  version: "1",
  tools: { now: tool({ run: () => "noon" }) },
  extensions: [groupsOf({ all: { description: "All.", tools: (name, ctx) => name !== ctx.principal?.id } })],
});

const typed = await connect<typeof server>("http://127.0.0.1/mcp", { extensions: [groups] });

test("a typed client knows the methods of groups, and the others stay as they are", async () => {
  const list = await typed.request("groups/list", {});
  expectTypeOf(list.groups).toEqualTypeOf<readonly Group[]>();
  const { contents } = await typed.request("groups/get", { name: "all" });
  expectTypeOf(contents?.groups).toEqualTypeOf<readonly Group[] | undefined>();
  // @ts-expect-error -- a group is got by its name
  await typed.request("groups/get", { id: "all" });
  expectTypeOf(typed.request("tools/call", { name: "now" })).resolves.toExtend<object>();
  expectTypeOf(typed.callTool("now")).resolves.toExtend<CallToolResult>();
  // @ts-expect-error -- there is no such tool
  await typed.callTool("later");
});

test("what the extension offers is typed", async () => {
  const group = await typed.use(groups).get("all");
  expectTypeOf(group.instructions).toEqualTypeOf<string | undefined>();
  expectTypeOf(group.groups).toEqualTypeOf<readonly Group[]>();
  for await (const each of typed.use(groups).all()) expectTypeOf(each).toEqualTypeOf<Group>();
});
