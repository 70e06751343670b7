import type { HttpOptions } from "@toolwire/server/http";
import type { ServerConfig } from "../config/config.ts";
import type { PipelineHost } from "../steps/policy.ts";
import type { UpstreamHost } from "../upstreams/host.ts";
import type { Upstream } from "../upstreams/upstream.ts";

/** The parts of a gateway that its servers need. */
export interface ServerHost extends PipelineHost {
  readonly version: string;
  /** Options of HTTP for a server: hosts, authentication, sessions. */
  httpOptions(slug: string, config: ServerConfig): HttpOptions;
  /** The limits of a server that names none. */
  defaultPerMinute(config: ServerConfig): number | undefined;
  readonly captures: boolean;
  readonly stateKey: string | undefined;
  diagnose(slug: string, message: string, error?: unknown): void;
  /** Opens the upstreams of a server, which add their tools to it as soon as they connect. */
  openUpstreams(host: UpstreamHost, config: ServerConfig): readonly Upstream[];
}
