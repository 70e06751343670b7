import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isObject } from "@toolwire/protocol/internal";
import { UsageError } from "@toolwire/server";
import type { GatewayObservers } from "../../gateway.ts";

/**
 * Loads the observers that a module exports by default, as `--observe` names it. The module may also set up what they report to, such
 * as an OpenTelemetry SDK.
 *
 * @throws UsageError if it cannot be loaded, or exports none
 */
export async function loadObservers(file: string | undefined): Promise<GatewayObservers | undefined> {
  if (file === undefined) return undefined;
  let loaded: { readonly default?: unknown };
  try {
    loaded = (await import(pathToFileURL(resolve(file)).href)) as typeof loaded;
  } catch (cause) {
    const message = `${file} of --observe cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new UsageError("INVALID_ARGUMENT", message, { cause });
  }
  const observers = loaded.default;
  if (isObject(observers) && ("callers" in observers || "upstreams" in observers)) return observers as GatewayObservers;
  const advice =
    "export default gatewayTelemetry() of @toolwire/otel/gateway, or an object with `callers` and `upstreams`";
  throw new UsageError("INVALID_ARGUMENT", `${file} of --observe has no observers: it must ${advice}.`);
}
