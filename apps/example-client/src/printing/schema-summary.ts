import { isObject } from "@toolwire/protocol/internal";

/** The arguments of a tool in one line, in the notation of TypeScript: `{ city: string, units?: "metric" | "imperial" }`. */
export function summarizeSchema(schema: unknown): string {
  const properties = isObject(schema) && isObject(schema["properties"]) ? schema["properties"] : {};
  const required: readonly unknown[] = isObject(schema) && Array.isArray(schema["required"]) ? schema["required"] : [];
  const parts = Object.entries(properties).map(([name, property]) => {
    return `${name}${required.includes(name) ? "" : "?"}: ${summarizeType(property)}`;
  });
  return parts.length === 0 ? "" : `{ ${parts.join(", ")} }`;
}

function summarizeType(schema: unknown): string {
  if (!isObject(schema)) return "unknown";
  if (Array.isArray(schema["enum"])) return schema["enum"].map((value) => JSON.stringify(value)).join(" | ");
  if (schema["type"] === "array") return `${summarizeType(schema["items"])}[]`;
  if (schema["type"] === "object") return summarizeSchema(schema) || "object";
  return typeof schema["type"] === "string" ? schema["type"] : "unknown";
}
