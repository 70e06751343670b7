import type { CallToolResult, ToolTypes, TypedServer } from "@toolwire/protocol";
import type { RequestOptions } from "./calls/request-options.ts";

/** The tools of a server, with their types. Without types, tools of any name. */
export type ToolsOf<S extends TypedServer> = NonNullable<S["~tools"]>;

/** What a tool can be called with that needs nothing. */
type NoArguments = { readonly [argument: string]: never };

/** The arguments of `callTool` after the name: the tool's arguments, optional if it needs none, then options. */
export type ToolCallArguments<Input> = unknown extends Input
  ? [args?: { readonly [argument: string]: unknown } | undefined, options?: RequestOptions]
  : NoArguments extends Input
    ? [args?: Input | undefined, options?: RequestOptions]
    : [args: Input, options?: RequestOptions];

/**
 * The result of `callTool`. If the tool did not fail, it has the structured content of the tool's output type.
 *
 * Servers built with Toolwire keep that promise in revision 2026-07-28, which is negotiated unless the client insists on an
 * older one. Earlier revisions carry only objects, and those before 2025-06-18 no structured content at all. There,
 * `structuredContent` is missing whatever its type says, and the data is in the text of `content`.
 */
export type ToolCallResult<Output> =
  | (Omit<CallToolResult, "structuredContent" | "isError"> & {
      isError?: false | undefined;
      /** Missing in revisions that cannot carry it: see {@link ToolCallResult}. */
      structuredContent: Output;
    })
  | (Omit<CallToolResult, "structuredContent" | "isError"> & {
      /** The tool ran and failed; the content tells the model why. */
      isError: true;
      structuredContent?: undefined;
    });

/** The name of one of a server's tools. */
export type ToolName<Tools extends ToolTypes> = keyof Tools & string;
