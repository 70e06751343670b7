import type { TypedServer } from "@toolwire/protocol";
import type { RequestOptions } from "./calls/request-options.ts";

/** The prompts of a server that carries their types; of any other server, prompts of any name. */
export type PromptsOf<S extends TypedServer> = NonNullable<S["~prompts"]>;

/** What a prompt can be filled in with that needs nothing. */
type NoArguments = { readonly [argument: string]: never };

/** What `getPrompt` takes after the name: arguments where the prompt needs some, then options. */
export type PromptCallArguments<Args> = unknown extends Args
  ? [args?: { readonly [argument: string]: string } | undefined, options?: RequestOptions]
  : NoArguments extends Args
    ? [args?: Args | undefined, options?: RequestOptions]
    : [args: Args, options?: RequestOptions];
