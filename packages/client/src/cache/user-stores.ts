import { isObject, callListener } from "@toolwire/protocol/internal";
import { guarded, type DiagnosticListener } from "../diagnostics.ts";
import { explain } from "../check-options.ts";
import type { ConnectOptions } from "../options.ts";

type Methods = { readonly [method: string]: (...given: readonly unknown[]) => unknown };

/** The stores that an application brings along, so that they can be relied on. Most bring none, and do not load this. */
export function readStores(options: ConnectOptions): Pick<ConnectOptions, "memory" | "cache"> {
  const { memory, cache } = options;
  const diagnose = guarded(options.onDiagnostic);
  if (cache && !isObject(cache as unknown)) throw explain("cache", cache);
  return {
    memory: memory && shelter("memory", memory, ["get", "set", "delete"], diagnose),
    cache: cache && { ...cache, store: cache.store && shelter("store", cache.store, ["get", "set", "drop"], diagnose) },
  };
}

/**
 * A store whose failures cost nobody an answer: it has found nothing then, or kept nothing. What is wrong with a method is
 * told once, as it would be with every call.
 */
function shelter<Store extends object>(
  name: "memory" | "store",
  store: Store,
  methods: readonly string[],
  diagnose: DiagnosticListener,
): Store {
  const sheltered: Record<string, unknown> = {};
  for (const method of methods) {
    if (typeof (store as Partial<Methods>)[method] !== "function") throw explain(name, store);
    let isReported = false;
    sheltered[method] = (...given: readonly unknown[]): unknown => {
      let found: unknown;
      const call = (): unknown => (found = (store as Methods)[method]!(...given));
      callListener(call, (error) => {
        if (isReported) return;
        isReported = true;
        diagnose({ level: "error", message: `\`${name}.${method}()\` failed: ${String(error)}`, error });
      });
      return found;
    };
  }
  return sheltered as Store;
}
