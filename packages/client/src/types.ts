import type {
  CallToolResult,
  MethodTypes,
  ParamsOf,
  RequestMethod,
  ResultOf,
  ToolTypes,
  TypedServer,
} from "@toolwire/protocol";
import type { RequestOptions, ToolCallOptions } from "./call-options.ts";
import type { CallOutcomes } from "./extensions/members.ts";

/** A method that the protocol does not know, such as that of an extension; editors still suggest those it does. */
type OtherMethod = string & Record<never, never>;

/** The name of any request; editors suggest those of the protocol, and those that extensions of a typed server add. */
export type AnyMethod<Methods extends MethodTypes = {}> = RequestMethod | (keyof Methods & string) | OtherMethod;

/**
 * The arguments of `request` after the method: typed for methods of the protocol and of extensions of a typed server, any object for
 * others.
 */
export type RequestArguments<Method extends string, Methods extends MethodTypes = {}> = Method extends RequestMethod
  ? undefined extends ParamsOf<Method>
    ? [params?: ParamsOf<Method>, options?: RequestOptions]
    : [params: ParamsOf<Method>, options?: RequestOptions]
  : Method extends keyof Methods
    ? {} extends Methods[Method]["params"]
      ? [params?: Methods[Method]["params"], options?: RequestOptions]
      : [params: Methods[Method]["params"], options?: RequestOptions]
    : [params?: object | undefined, options?: RequestOptions];

/**
 * The result of `request`: typed for methods of the protocol and of extensions of a typed server, any object for others.
 */
export type RequestResult<Method extends string, Methods extends MethodTypes = {}> = Method extends RequestMethod
  ? ResultOf<Method>
  : Method extends keyof Methods
    ? Methods[Method]["result"]
    : object;

/** The methods that extensions of a server add, with their types. Without types, none that the compiler knows. */
export type MethodsOf<S extends TypedServer> =
  NonNullable<S["~methods"]> extends infer Methods extends MethodTypes
    ? string extends keyof Methods
      ? {}
      : Methods
    : {};

/** The tools of a server, with their types. Without types, tools of any name. */
export type ToolsOf<S extends TypedServer> = NonNullable<S["~tools"]>;

/** The arguments of a tool or prompt that takes none. */
type NoArguments = { readonly [argument: string]: never };

/** The arguments of `callTool` after the name: the tool's arguments, optional if it needs none, then options. */
export type ToolCallArguments<Input> = unknown extends Input
  ? [args?: { readonly [argument: string]: unknown } | undefined, options?: PlainCallOptions]
  : NoArguments extends Input
    ? [args?: Input | undefined, options?: PlainCallOptions]
    : [args: Input, options?: PlainCallOptions];

/** The names of the options by which a call asks for something else than the result. Extensions add them. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- it is empty until an extension adds to it
type Asking = keyof CallOutcomes<unknown>;

/** The options of a call that asks for its result. */
export type PlainCallOptions = Omit<ToolCallOptions, Asking> & { readonly [Name in Asking]?: false | undefined };

/** The options of a call that asks for something else than its result, by one of the options that extensions add. */
export type AskingCallOptions = {
  [Name in Asking]: Omit<ToolCallOptions, Name> & { readonly [N in Name]: Exclude<MemberOf<N>, false | undefined> };
}[Asking];

type MemberOf<Name> = Name extends keyof ToolCallOptions ? ToolCallOptions[Name] : never;

/**
 * The arguments of such a call after the name. Without extensions, there is no such call: more arguments than anybody passes keep the
 * compiler from mentioning it.
 */
export type AskingCallArguments<Input, Options> = [Asking] extends [never]
  ? [never, never, never, never, never, never, never, never]
  : [args: unknown extends Input ? { readonly [argument: string]: unknown } | undefined : Input, options: Options];

/** What `callTool` resolves to if an option asks for something else than the result, see {@link CallOutcomes}. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type, typescript/no-redundant-type-constituents -- likewise
export type ToolCallOutcome<Result, Options> = CallOutcomes<Result>[Asking & keyof Options];

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
