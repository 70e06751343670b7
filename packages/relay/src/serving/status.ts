import type { Upstream } from "../upstream/upstream.ts";
import type { Offered } from "./offered.ts";

/** The state of an upstream, for operators. */
export interface UpstreamStatus {
  /** `idle` if nobody has needed it yet, or if it was stopped because nobody did for a while. */
  readonly state: "idle" | "connecting" | "connected" | "failed";
  /** The name and version that the server claims. */
  readonly serverInfo?: { readonly name: string; readonly version: string } | undefined;
  readonly revision?: string | undefined;
  /** How many of its tools are offered. */
  readonly tools: number;
  /** Open connections: one, one for each principal, and those of calls that a legacy server may ask something. */
  readonly connections: number;
  /** Why it failed, or could not be listed. */
  readonly failure?: Error | undefined;
  /** Problems that do not keep it from running: names that others have, tools that cannot be offered. */
  readonly problems: readonly string[];
}

/** Describes the state of an upstream. */
export function describeUpstream(upstream: Upstream, offered: Offered): UpstreamStatus {
  const { views } = upstream;
  const states = views.map(({ connections }) => connections.shared.state);
  const failure = views.find(({ catalog }) => catalog.isFailed)?.catalog.failure;
  const state = (["connected", "connecting"] as const).find((each) => states.includes(each));
  const client = views.findLast(({ lastClient }) => lastClient !== undefined)?.lastClient;
  const { name, version } = client?.server ?? {};
  return {
    state: failure !== undefined && state !== "connecting" ? "failed" : (state ?? "idle"),
    ...(name !== undefined && version !== undefined && { serverInfo: { name, version } }),
    ...(client !== undefined && { revision: client.revision }),
    tools: offered.countTools(upstream),
    connections: views.reduce((sum, { connections }) => sum + connections.size, 0),
    ...(failure !== undefined && { failure }),
    problems: offered.problemsOf(upstream),
  };
}
