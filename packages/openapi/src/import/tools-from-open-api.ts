import { expectChoice, expectOption, isObject } from "@toolwire/protocol/internal";
import { type ToolDefinition, UsageError } from "@toolwire/server";
import { searchTools } from "@toolwire/server/search";
import { defaultCaller } from "../caller/default-caller.ts";
import { operationTool } from "../tool/operation-tool.ts";
import { compileRepair, repairMiddleware } from "../tool/repair-arguments.ts";
import type { OpenApiOptions } from "./options.ts";
import { importDocument } from "./read-open-api.ts";
import type { ImportReport } from "./report.ts";
import { untrustedSchema } from "./untrusted-schema.ts";

/** The options of {@link toolsFromOpenApi}. */
export interface ToolsFromOpenApiOptions extends OpenApiOptions {
  /**
   * `tools` (default): one tool for each operation. `search`: three tools that find, describe and call all others, for documents
   * with more operations than a model can read about at once.
   */
  readonly mode?: "tools" | "search" | undefined;
}

/** Tools made of a document, and the report on them. */
export interface OpenApiTools {
  /** By name: pass them to `createServer({ tools })`. */
  readonly tools: Record<string, ToolDefinition>;
  readonly report: ImportReport;
}

/**
 * Makes tools of the operations of an OpenAPI document: 3.0, 3.1, 3.2 or Swagger 2, as an object, or as JSON or YAML text.
 *
 * The document chooses no host: requests go to `baseUrl`. The report says what became a tool, what did not, and why.
 *
 * @example
 * ```ts
 * const { tools, report } = toolsFromOpenApi(await readFile("stripe.yaml", "utf8"), {
 *   include: { operations: ["GetCustomers", "PostCustomers"] },
 *   baseUrl: "https://api.stripe.com",
 *   auth: { bearerAuth: process.env.STRIPE_KEY ?? "" },
 * });
 * const server = createServer({ name: "stripe", version: "1.0.0", tools });
 * ```
 *
 * @throws UsageError if the document cannot be read, an option is wrong, or no operation can become a tool
 */
export function toolsFromOpenApi(document: unknown, options: ToolsFromOpenApiOptions = {}): OpenApiTools {
  const { mode: given, ...others } = expectOption(
    "options of toolsFromOpenApi",
    options,
    isObject(options),
    "an object",
  );
  const mode = expectChoice("mode", ["tools", "search"], given);
  const { operations, report } = importDocument("toolsFromOpenApi", document, others);
  const caller = options.http ?? defaultCaller;
  if (operations.length === 0 && report.operations.length > 0) {
    throw new UsageError("INVALID_ARGUMENT", report.warnings[0] ?? "No operation became a tool.");
  }
  const tools = Object.fromEntries(
    operations.map(({ name, listing, operation, info: { method, path, tags, isDeprecated } }) => {
      const repair = compileRepair(listing.input);
      const middleware = repair === undefined ? undefined : [repairMiddleware(repair)];
      const { input, output } = listing;
      const schemas = {
        input: untrustedSchema(input),
        output: output === undefined ? undefined : untrustedSchema(output),
      };
      const hints = { method, path, tags, isDeprecated };
      return [name, operationTool({ operation, caller, listing: { ...listing, ...schemas }, middleware, hints })];
    }),
  );
  return { tools: mode === "search" ? searchTools(tools) : tools, report };
}
