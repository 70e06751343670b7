import type { JSX } from "preact";
import type { Outcome } from "../../../src/log/call-record.ts";
import { OUTCOME_NAMES } from "../format/outcomes.ts";

/** The outcome of a call, told apart by a sign, a name and a colour. */
export function OutcomeBadge({ outcome }: { readonly outcome: Outcome }): JSX.Element {
  const { name, sign } = OUTCOME_NAMES[outcome];
  return (
    <span class={`badge badge-outcome badge-outcome-${outcome}`}>
      <i aria-hidden="true">{sign}</i>
      {name}
    </span>
  );
}

/** The state of a server, a tool or an upstream. */
export function StatusBadge({ status }: { readonly status: string }): JSX.Element {
  return (
    <span class={`badge badge-status badge-status-${status}`}>
      <i aria-hidden="true" />
      {status}
    </span>
  );
}

/** Where a tool comes from. */
export function SourceBadge({ source }: { readonly source: "http" | "openapi" | "mcp" | "none" }): JSX.Element {
  const names = { http: "HTTP", openapi: "OpenAPI", mcp: "MCP", none: "none" };
  return <span class="badge badge-plain">{names[source]}</span>;
}
