import type { CallToolResult, ParamsOf, RequestMethod, ResultOf, ToolTypes, TypedServer } from "@toolwire/protocol";
import type { RequestOptions } from "./call-options.ts";

/** A method that the protocol does not know, such as that of an extension; editors still suggest those it does. */
type OtherMethod = string & Record<never, never>;

/** The name of any request. */
export type AnyMethod = RequestMethod | OtherMethod;

/** The arguments of `request` after the method: typed for methods of the protocol, any object for others. */
export type RequestArguments<Method extends AnyMethod> = Method extends RequestMethod
  ? undefined extends ParamsOf<Method>
    ? [params?: ParamsOf<Method>, options?: RequestOptions]
    : [params: ParamsOf<Method>, options?: RequestOptions]
  : [params?: object | undefined, options?: RequestOptions];

/** The result of `request`: typed for methods of the protocol, any object for others. */
export type RequestResult<Method extends AnyMethod> = Method extends RequestMethod ? ResultOf<Method> : object;

/** The tools of a server, with their types. Without types, tools of any name. */
export type ToolsOf<S extends TypedServer> = NonNullable<S["~tools"]>;

/** The arguments of a tool or prompt that takes none. */
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

/** The prompts of a server, with their types. Without types, prompts of any name. */
export type PromptsOf<S extends TypedServer> = NonNullable<S["~prompts"]>;

/** The arguments of `getPrompt` after the name: those of the prompt, optional if it needs none, then options. */
export type PromptCallArguments<Args> = unknown extends Args
  ? [args?: { readonly [argument: string]: string } | undefined, options?: RequestOptions]
  : NoArguments extends Args
    ? [args?: Args | undefined, options?: RequestOptions]
    : [args: Args, options?: RequestOptions];
