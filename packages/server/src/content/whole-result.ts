import { isObject } from "@toolwire/protocol/internal";
import { UsageError, type Tool } from "@toolwire/protocol";

/**
 * Refuses a whole result in place of the data that `output` describes. The official SDK wants it so, and many schemas would
 * let it pass and leave nothing of it, because they drop what they do not know.
 *
 * @throws UsageError unless the listed schema has a place for a member called `structuredContent`
 */
export function refuseWholeResult({ name, outputSchema = {} }: Tool, returned: unknown): void {
  if (!isObject(returned) || !("structuredContent" in returned)) return;
  const { properties, additionalProperties } = outputSchema;
  const isClosed = isObject(properties) && additionalProperties !== true && !isObject(additionalProperties);
  if (!isClosed || Object.hasOwn(properties, "structuredContent")) return;
  throw new UsageError(
    "INVALID_ARGUMENT",
    `tool "${name}" returned a whole result with \`structuredContent\`. With \`output\`, return the data alone. ` +
      "For text of your own beside it, return reply({ content, structured }).",
  );
}

/** Says what to return in place of a value that does not fit `output`, if the value looks like a whole result. */
export function explainWholeResult(returned: unknown): string {
  if (!isObject(returned) || !Array.isArray(returned["content"])) return "";
  return (
    "\nIt looks like a whole result. With `output`, return the data alone, or reply({ content, structured }). " +
    "If the tool failed, throw a ToolError, or return reply({ isError: true, content })."
  );
}
