import type { ClientObserver } from "@toolwire/client";
import type { ServerObserver } from "@toolwire/server";
import { expectOptions, type OptionNames } from "@toolwire/protocol/internal";
import { clientTelemetry, type ClientTelemetryOptions } from "../client/client-telemetry.ts";
import { TELEMETRY_OPTIONS } from "../recording/options.ts";
import { serverTelemetry, type ServerTelemetryOptions } from "../server/server-telemetry.ts";

/** The options of {@link gatewayTelemetry}: those of servers and of clients. */
export interface GatewayTelemetryOptions extends ServerTelemetryOptions, Pick<ClientTelemetryOptions, "propagate"> {}

/** The observers of both sides of a gateway. */
export interface GatewayTelemetry {
  /** Sees the requests of callers. */
  readonly callers: ServerObserver;
  /** Sees the requests to upstreams. */
  readonly upstreams: ClientObserver;
}

const OPTIONS: OptionNames<GatewayTelemetryOptions> = { ...TELEMETRY_OPTIONS, trust: true, propagate: true };

/**
 * Telemetry of a gateway: a call is one trace from its caller through the gateway to the upstream. Give it to `createGateway` as
 * `observe`.
 *
 * @example
 * ```ts
 * const gateway = await createGateway(config, { observe: gatewayTelemetry() });
 * ```
 */
export function gatewayTelemetry(options: GatewayTelemetryOptions = {}): GatewayTelemetry {
  const { trust, propagate, ...shared } = expectOptions("gatewayTelemetry", options, OPTIONS);
  return { callers: serverTelemetry({ ...shared, trust }), upstreams: clientTelemetry({ ...shared, propagate }) };
}
