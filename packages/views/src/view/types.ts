import type { CallToolResult, ToolTypes, TypedServer } from "@toolwire/protocol";
import type { HostContext } from "../model/context.ts";

/** A tool as `tool()` of `@toolwire/server` makes it, of which only the types are of interest here. */
export interface TypedTool {
  readonly "made by tool()": { readonly input: unknown; readonly output: unknown };
}

/** The arguments of a tool, as its caller passes them. */
export type InputOf<T> = T extends TypedTool ? T["made by tool()"]["input"] : { readonly [argument: string]: unknown };

/** The structured result of a tool. */
export type OutputOf<T> = T extends TypedTool ? T["made by tool()"]["output"] : unknown;

/** The types of a server's tools. */
export type ToolsOf<S> = S extends TypedServer<infer Tools> ? Tools : ToolTypes;

/** The result of a tool with the type of its data. */
export type ViewResult<Output> = Omit<CallToolResult, "structuredContent"> & {
  readonly structuredContent?: Output | undefined;
};

/** What a view knows at the moment. Each change makes a new object. */
export interface ViewState<Input = unknown, Output = unknown> {
  /** The arguments of the call whose result is shown. */
  readonly input: Input | undefined;
  /** As much of them as the model has written so far. Any part may be missing, and may change. */
  readonly partialInput: { readonly [argument: string]: unknown } | undefined;
  /** The result of the call. Data that is shown to people is in `structuredContent`. */
  readonly result: ViewResult<Output> | undefined;
  /** That the call was cancelled, and why. */
  readonly cancelled: { readonly reason: string | undefined } | undefined;
  /** The theme, the size and whatever else the host says. */
  readonly context: HostContext;
}

/** The arguments of a tool that takes none. */
type NoArguments = { readonly [argument: string]: never };

/** The parameters of `callTool` after the name: arguments may be left out if none is required. */
export type ViewCallArguments<Input> = unknown extends Input
  ? [args?: { readonly [argument: string]: unknown }]
  : NoArguments extends Input
    ? [args?: Input]
    : [args: Input];
