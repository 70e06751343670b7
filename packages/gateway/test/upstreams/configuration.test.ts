import { createServer, tool } from "@toolwire/server";
import { expect, test } from "vitest";
import { host, overHttp } from "./hosting.ts";

test("only tools are offered that the configuration includes and does not exclude", async () => {
  const names = ["read_note", "read_file", "delete_note", "other"];
  const offered = names.map((name) => [name, tool({ description: name, run: () => name })]);
  const server = createServer({ name: "notes", version: "1.0.0", tools: Object.fromEntries(offered) });
  const url = await overHttp(server);
  const tools = { include: ["read_*", "delete_*"], exclude: ["delete_*"] };
  const { connect: join } = await host({ one: { url, tools } });
  const client = await join();
  const listed = (await client.listTools()).tools.map(({ name }) => name);
  expect(listed).toEqual(["read_note", "read_file"]);
  await expect(client.callTool("delete_note")).rejects.toMatchObject({ code: -32_602 });
});

test("the configuration has to say what to start or where to connect to", async () => {
  await expect(host({ one: {} })).rejects.toThrow("either a `command` to start or the `url`");
  await expect(host({ one: { url: "ftp://x" } })).rejects.toThrow("must begin with http:");
});
