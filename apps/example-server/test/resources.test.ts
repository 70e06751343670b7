import { describe, expect, test } from "vitest";
import { useServer } from "./use-server.ts";

const { start } = useServer();

describe("resources", () => {
  test("fixed ones are listed and read, as text and as bytes", async () => {
    const client = await start();
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      "demo://resource/static/document/welcome.md",
      "demo://resource/static/image/logo.png",
      "demo://resource/heartbeat",
    ]);
    const { contents } = await client.readResource("demo://resource/static/document/welcome.md");
    expect(contents[0]).toMatchObject({ mimeType: "text/markdown", text: expect.stringMatching(/^# Welcome/) });
    const logo = await client.readResource("demo://resource/static/image/logo.png");
    const { blob } = logo.contents[0] as { blob: string };
    expect(Buffer.from(blob, "base64")).toHaveLength(resources[1]?.size ?? 0);
  });

  test("templated ones are read by number, and there are no others", async () => {
    const client = await start();
    expect(await client.readResource("demo://resource/dynamic/text/42")).toMatchObject({
      contents: [{ text: "Resource 42: plain text.", mimeType: "text/plain" }],
    });
    for (const number of ["0", "-1", "1.5", "abc", "01"]) {
      await expect(client.readResource(`demo://resource/dynamic/text/${number}`)).rejects.toThrow("not found");
    }
  });

  test("the numbers of resources are completed", async () => {
    const client = await start();
    const ref = { type: "ref/resource", uri: "demo://resource/dynamic/text/{resourceId}" } as const;
    const { completion } = await client.complete(ref, { name: "resourceId", value: "4" });
    expect(completion).toEqual({ values: ["4", "40", "41"], hasMore: true });
  });
});
