import {
  expectBoolean,
  expectOption,
  expectOptions,
  expectPath,
  isObject,
  type OptionNames,
} from "@toolwire/protocol/internal";
import type { Cluster } from "../../cluster/cluster.ts";
import { pathOf } from "../admission/hosts.ts";
import type { HttpRequest } from "./request.ts";

/** Where an HTTP endpoint says how it is, for load balancers and those who restart processes. */
export interface HealthOptions {
  /** The path that answers 200 as long as the process does. Default `/livez`. */
  readonly live?: string | undefined;
  /** The path that answers 200 while requests should be sent here, and 503 once the endpoint drains or closes. Default `/readyz`. */
  readonly ready?: string | undefined;
  /**
   * Whether the endpoint counts as not ready while the engine of the cluster cannot be reached. Default false: what needs no shared state
   * goes on, and otherwise all machines would leave at the same moment.
   */
  readonly needsEngine?: boolean | undefined;
}

/** How an HTTP endpoint is. */
export interface HttpHealth {
  /** Whether requests should be sent here. */
  readonly isReady: boolean;
  /** Whether it drains, closes, or is closed. */
  readonly isDraining: boolean;
  /** Whether the engine of the cluster could be reached when it was last tried. `undefined` without a cluster. */
  readonly isEngineUp: boolean | undefined;
}

/** Checked options. */
export interface HealthSettings {
  readonly live: string;
  readonly ready: string;
  readonly needsEngine: boolean;
}

const HEALTH_OPTIONS: OptionNames<HealthOptions> = { live: true, ready: true, needsEngine: true };

/** Reads the option `health`. `undefined` if there are no such paths. */
export function readHealthOptions(given: boolean | HealthOptions | undefined): HealthSettings | undefined {
  if (given === undefined || given === false) return undefined;
  const fits = given === true || isObject(given);
  expectOption("health", given, fits, 'true, false, or an object with paths, such as { ready: "/readyz" }');
  const options = given === true ? {} : expectOptions("health", given, HEALTH_OPTIONS);
  return {
    live: expectPath("health.live", options.live ?? "/livez"),
    ready: expectPath("health.ready", options.ready ?? "/readyz"),
    needsEngine: expectBoolean("health.needsEngine", options.needsEngine, false),
  };
}

/** Finds out how an endpoint is. */
export function healthOf(
  isDraining: boolean,
  cluster: Cluster | undefined,
  settings: HealthSettings | undefined,
): HttpHealth {
  const isEngineUp = cluster?.bus.isUp;
  return { isReady: !isDraining && !(settings?.needsEngine === true && isEngineUp === false), isDraining, isEngineUp };
}

/**
 * Answers a request for one of the paths. Returns false for all other requests. Probes come from anywhere and name any host, so nothing
 * about the request is checked, and nothing is said that a stranger may not know.
 */
export function answerHealth(request: HttpRequest, settings: HealthSettings, health: () => HttpHealth): boolean {
  const { method, target, routedPath } = request.adapter;
  const asked = [pathOf(target), routedPath];
  const isForReady = asked.includes(settings.ready);
  if (!isForReady && !asked.includes(settings.live)) return false;
  if (method !== "GET" && method !== "HEAD") request.respond(405, ["Allow", "GET, HEAD"]);
  else if (isForReady) respondReady(request, health());
  else respond(request, 200, { status: "live" });
  return true;
}

function respondReady(request: HttpRequest, { isReady, isDraining, isEngineUp }: HttpHealth): void {
  const state = isDraining ? "draining" : "not ready";
  const engine = isEngineUp === undefined ? undefined : isEngineUp ? "up" : "down";
  respond(request, isReady ? 200 : 503, { status: isReady ? "ready" : state, engine });
}

function respond(request: HttpRequest, status: number, body: object): void {
  request.respond(status, ["Content-Type", "application/json", "Cache-Control", "no-store"], JSON.stringify(body));
}
