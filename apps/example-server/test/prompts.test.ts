import { describe, expect, test } from "vitest";
import { useServer } from "./use-server.ts";

const { start } = useServer();

describe("prompts", () => {
  test("are filled in", async () => {
    const client = await start();
    const said = async (name: string, args?: Record<string, string>): Promise<unknown> =>
      (await client.getPrompt(name, args)).messages.map(({ content }) =>
        "text" in content ? content.text : content.type,
      );
    expect(await said("simple-prompt")).toEqual([expect.stringContaining("Which tools")]);
    expect(await said("args-prompt", { city: "Reno" })).toEqual(["What is the weather like in Reno?"]);
    expect(await said("args-prompt", { city: "Reno", state: "Nevada" })).toEqual([
      "What is the weather like in Reno, Nevada?",
    ]);
    expect(await said("resource-prompt", { resourceType: "Text", resourceId: "3" })).toEqual([
      "What does resource 3 say?",
      "resource",
    ]);
    await expect(client.getPrompt("args-prompt")).rejects.toThrow("city");
    await expect(client.getPrompt("resource-prompt", { resourceType: "Text", resourceId: "x" })).rejects.toThrow(
      "whole number",
    );
  });

  test("complete their arguments, by what was chosen before", async () => {
    const client = await start();
    const ref = { type: "ref/prompt", name: "completable-prompt" } as const;
    const departments = await client.complete(ref, { name: "department", value: "s" });
    expect(departments.completion.values).toEqual(["Sales", "Support"]);
    const teams = await client.complete(ref, { name: "name", value: "" }, { arguments: { department: "Sales" } });
    expect(teams.completion.values).toEqual(["Enterprise", "Retail"]);
  });
});
