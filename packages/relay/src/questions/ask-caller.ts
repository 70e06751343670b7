import { explainUnfitForm } from "@toolwire/json-schema";
import { isObject } from "@toolwire/protocol/internal";
import {
  ErrorCode,
  RpcError,
  ToolError,
  UsageError,
  type Context,
  type CreateMessageParams,
  type JsonSchemaObject,
} from "@toolwire/server";

/** Puts a question of an upstream to the caller whose request it serves. Resolves to the result that the upstream expects. */
export async function askCaller(ctx: Context, key: string, method: unknown, params: unknown): Promise<object> {
  const given = isObject(params) ? params : {};
  try {
    switch (method) {
      case "elicitation/create":
        return await elicit(ctx, key, given);
      case "sampling/createMessage":
        return await ctx.sample(key, given as unknown as CreateMessageParams);
      case "roots/list":
        return { roots: await ctx.roots(key) };
      default:
        throw new RpcError(ErrorCode.MethodNotFound, `Method not found: ${String(method).slice(0, 100)}`);
    }
  } catch (error) {
    // A question that breaks the rules is the upstream's mistake, not ours.
    if (!(error instanceof UsageError)) throw error;
    throw new ToolError(`The server behind this tool asked something that cannot be passed on: ${error.message}`);
  }
}

async function elicit(ctx: Context, key: string, given: { readonly [name: string]: unknown }): Promise<object> {
  const { mode, message, url, requestedSchema, elicitationId } = given;
  if (typeof message !== "string") throw new UsageError("INVALID_ARGUMENT", "It has no `message`.");
  if (mode === "url") {
    const id = typeof elicitationId === "string" ? { elicitationId } : {};
    const { action } = await ctx.tryElicit(key, { message, url: String(url), ...id });
    return { action };
  }
  const problem = explainUnfitForm(requestedSchema);
  if (problem !== undefined) throw new UsageError("INVALID_ARGUMENT", problem);
  const { action, content } = await ctx.tryElicit(key, { message, schema: requestedSchema as JsonSchemaObject });
  return action === "accept" ? { action, content } : { action };
}
