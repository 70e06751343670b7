import { UsageError } from "@toolwire/protocol";
import type { Context } from "../define/context.ts";
import type { CompiledExtensions } from "../extensions/compiled-extensions.ts";
import { RequestContext } from "./context.ts";

const types = new WeakMap<CompiledExtensions, typeof RequestContext>();

/**
 * The class of contexts that have the members which extensions add. Each member is made when a handler asks for it.
 *
 * @throws UsageError if an extension adds a member that every context has
 */
export function contextTypeOf(extensions: CompiledExtensions): typeof RequestContext {
  let type = types.get(extensions);
  if (type === undefined) {
    type = extensions.context.size === 0 ? RequestContext : extendContext(extensions.context);
    types.set(extensions, type);
  }
  return type;
}

function extendContext(members: CompiledExtensions["context"]): typeof RequestContext {
  class ExtendedContext extends RequestContext {}
  for (const [name, make] of members) {
    if (name in RequestContext.prototype) {
      throw new UsageError(
        "INVALID_DEFINITION",
        `No extension can replace \`ctx.${name}\`: give its member another name.`,
      );
    }
    Object.defineProperty(ExtendedContext.prototype, name, {
      configurable: true,
      enumerable: true,
      get(this: Context): unknown {
        return make(this);
      },
    });
  }
  return ExtendedContext;
}
