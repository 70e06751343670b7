import type { Attributes } from "@opentelemetry/api";
import { Attribute } from "./names.ts";

const NETWORKS: { readonly [binding: string]: Attributes } = {
  http: { [Attribute.Transport]: "tcp", [Attribute.Protocol]: "http" },
  websocket: { [Attribute.Transport]: "tcp", [Attribute.Protocol]: "websocket" },
  stdio: { [Attribute.Transport]: "pipe" },
};

const UNKNOWN: Attributes = {};

/** The attributes for the transport of a binding. Other bindings have none: their names say nothing about a network. */
export function networkOf(binding: string | undefined): Attributes {
  return (binding !== undefined && Object.hasOwn(NETWORKS, binding) ? NETWORKS[binding] : undefined) ?? UNKNOWN;
}
