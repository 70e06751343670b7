import { resolve } from "node:path";
import type { GatewayConfig } from "./config.ts";
import { parseReferences } from "./references.ts";

/** The files that a configuration refers to: OpenAPI documents, and those of `${file:…}`. Their changes are changes of it. */
export function listFiles(config: GatewayConfig, folder: string): readonly string[] {
  const files = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value === "string" && value.includes("${file:")) {
      const parts = parseReferences(value);
      if (typeof parts === "string") return;
      for (const part of parts) if (part.kind === "file") files.add(resolve(folder, part.name));
    } else if (typeof value === "object" && value !== null) {
      for (const member of Object.values(value)) visit(member);
    }
  };
  visit(config);
  for (const { openapi } of Object.values(config.servers ?? {})) {
    const document = openapi?.document;
    if (typeof document === "string" && !/^https?:/i.test(document)) files.add(resolve(folder, document));
  }
  return [...files];
}
