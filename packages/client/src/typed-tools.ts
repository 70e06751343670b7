import type { CallToolResult, ToolTypes, TypedServer } from "@toolwire/protocol";
import type { RequestOptions } from "./calls/request-options.ts";

/** The tools of a server that carries their types; of any other server, tools of any name. */
export type ToolsOf<S extends TypedServer> = NonNullable<S["~tools"]>;

/** What a tool can be called with that needs nothing. */
type NoArguments = { readonly [argument: string]: never };

/** What `callTool` takes after the name: arguments where the tool needs some, then options. */
export type ToolCallArguments<Input> = unknown extends Input
  ? [args?: { readonly [argument: string]: unknown } | undefined, options?: RequestOptions]
  : NoArguments extends Input
    ? [args?: Input | undefined, options?: RequestOptions]
    : [args: Input, options?: RequestOptions];

/** What `callTool` gives: if the tool did not fail, with the data that it promises. */
export type ToolCallResult<Output> =
  | (Omit<CallToolResult, "structuredContent" | "isError"> & {
      isError?: false | undefined;
      structuredContent: Output;
    })
  | (Omit<CallToolResult, "structuredContent" | "isError"> & {
      /** The tool ran and failed; the content tells the model why. */
      isError: true;
      structuredContent?: undefined;
    });

/** The name of one of a server's tools. */
export type ToolName<Tools extends ToolTypes> = keyof Tools & string;
