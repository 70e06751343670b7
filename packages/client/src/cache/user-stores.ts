import { callListener, expectOption, isObject } from "@toolwire/protocol/internal";
import { guarded, type DiagnosticListener } from "../diagnostics.ts";
import type { ServerMemory } from "../eras/server-memory.ts";
import type { CacheOptions } from "./server-cache.ts";

type Methods = { readonly [method: string]: (...given: readonly unknown[]) => unknown };

/** The stores that an application can bring along. */
interface Stores {
  readonly memory?: ServerMemory | false | undefined;
  readonly cache?: CacheOptions | false | undefined;
}

/** Checks the stores of an application, and protects calls from their failures. */
export function readStores(options: Stores & { readonly onDiagnostic?: DiagnosticListener | undefined }): Stores {
  const { memory, cache } = options;
  const diagnose = guarded(options.onDiagnostic);
  if (cache) expectOption("cache", cache, isObject(cache as unknown), "{ principal, store }, or false");
  return {
    memory: memory && protect("memory", memory, ["get", "set", "delete"], ", or false", diagnose),
    cache: cache && {
      ...cache,
      store: cache.store && protect("store", cache.store, ["get", "set", "drop"], "", diagnose),
    },
  };
}

/**
 * Wraps a store whose methods may fail: a failed method has found or kept nothing. The failure of a method is reported once,
 * because it would repeat with every call.
 */
function protect<Store extends object>(
  name: "memory" | "store",
  store: Store,
  methods: readonly string[],
  alternative: string,
  diagnose: DiagnosticListener,
): Store {
  const wrapped: Record<string, unknown> = {};
  for (const method of methods) {
    const fits = typeof (store as Partial<Methods>)[method] === "function";
    expectOption(name, store, fits, `{ ${methods.join(", ")} }, each a function${alternative}`);
    let isReported = false;
    wrapped[method] = (...given: readonly unknown[]): unknown => {
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
  return wrapped as Store;
}
