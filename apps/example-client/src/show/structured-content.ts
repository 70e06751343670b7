import { hasFeature } from "@toolwire/protocol";
import { onAllLanes, textOf, type Act } from "./act.ts";

const EXPECTED = { temperature: 36, conditions: "Light rain / drizzle", humidity: 82 };

/** Results that programs can use, with types that reach from the server's schema to here. */
export const structuredContent: Act = async (stage) => {
  const { presenter, checks } = stage;
  presenter.act(
    "Structured content",
    "Data that fits the tool's output schema. Its type is known here, because the client was made for this server.",
  );
  const lines = await onAllLanes(stage, async ({ client, name }) => {
    // Once a tool has been listed, its results are checked against its output schema.
    await client.listTools();
    const result = await client.callTool("get-structured-content", { location: "Chicago" });
    checks.same(`${name}: the data as text`, JSON.parse(textOf(result)), EXPECTED);
    if (!hasFeature(client.revision, "structuredContent")) return `Revision ${client.revision} knows text only.`;
    checks.same(`${name}: the data`, result.structuredContent, EXPECTED);
    if (result.isError === true) return textOf(result);
    const { temperature, conditions, humidity } = result.structuredContent;
    return `Chicago: temperature ${temperature}, ${conditions}, humidity ${humidity} %`;
  });
  presenter.say(lines[0] ?? "");
};
