import type { ServerObserver } from "@toolwire/server";
import type { HttpOptions } from "@toolwire/server/http";
import type { ServerConfig } from "../config/config.ts";
import type { PipelineHost } from "../steps/policy.ts";
import type { PreparedUpstream } from "../upstreams/open-upstreams.ts";
import type { ServerCardPlan } from "./server-card.ts";

/** The parts of a gateway that its servers need. */
export interface ServerHost extends PipelineHost {
  readonly version: string;
  /** Sees the requests of callers, if anybody does. */
  readonly observer: ServerObserver | undefined;
  /** Options of HTTP for a server: hosts, authentication, sessions. */
  httpOptions(slug: string, config: ServerConfig): HttpOptions;
  /** The public card of a server, if it has one. */
  planCard(slug: string, config: ServerConfig): ServerCardPlan;
  /** The limits of a server that names none. */
  defaultPerMinute(config: ServerConfig): number | undefined;
  readonly captures: boolean;
  readonly stateKey: string | undefined;
  /** Whether one process serves all requests of a caller: tasks are kept in its memory. */
  readonly isAlone: boolean;
  diagnose(slug: string, message: string, error?: unknown): void;
  /** Tells the operator what is as it should be. */
  inform(slug: string, message: string): void;
  /** Prepares the upstreams of a server: fills in what their configuration leaves open, and adds what they use of the gateway. */
  prepareUpstreams(slug: string, config: ServerConfig): { readonly [name: string]: PreparedUpstream };
}
