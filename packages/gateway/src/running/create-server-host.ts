import type { Cluster } from "@toolwire/server/cluster";
import type { HttpOptions } from "@toolwire/server/http";
import type { GatewayConfig, ServerConfig } from "../config/config.ts";
import { identifiesCallers, takesKeys } from "../config/identifies-callers.ts";
import type { ReferenceSources } from "../config/references.ts";
import type { GatewayEvent, GatewayObservers } from "../gateway.ts";
import type { Metrics } from "../listener/metrics.ts";
import type { CallRecord } from "../log/call-record.ts";
import type { Logins } from "../logins/logins.ts";
import type { HttpCallers } from "../servers/http-callers.ts";
import { createKeyCheck } from "../servers/keys.ts";
import { prepareUpstreams } from "../servers/prepare-upstreams.ts";
import { createServerAuth } from "../servers/server-auth.ts";
import { planCard } from "../servers/server-card.ts";
import type { ServerHost } from "../servers/server-host.ts";
import type { Storage } from "../storage/storage.ts";
import { VERSION } from "../version.ts";
import { eventOf } from "./events.ts";

/** How long requests in flight may take when the gateway closes, in milliseconds. */
const CLOSE_TIMEOUT = 30_000;

/** The parts of a gateway of which the host of its servers is made. */
export interface GatewayParts {
  readonly node: string;
  readonly sources: ReferenceSources;
  readonly storage: Storage;
  readonly callers: HttpCallers;
  readonly metrics: Metrics;
  /** `undefined` without a public URL. */
  readonly logins: Logins | undefined;
  /** The origin by which clients and browsers reach the gateway. */
  readonly publicUrl: string | undefined;
  /** Whether only programs of this machine reach it. */
  readonly isLoopback: boolean;
  /** The configuration at the moment: it may be read again. */
  readonly config: () => GatewayConfig;
  /** The value of a text with references; `undefined` if a secret in it is not set. */
  readonly resolve: (text: string) => string | undefined;
  readonly report: (event: GatewayEvent) => void;
  readonly observe: GatewayObservers;
  /** The cluster of this gateway. `undefined` if it serves alone. */
  readonly cluster: Cluster | undefined;
}

/** Makes what the servers of a gateway need of it. */
export function createServerHost(parts: GatewayParts): ServerHost {
  const { node, sources, storage, callers, metrics, logins, isLoopback, report } = parts;
  return {
    node,
    version: VERSION,
    observer: parts.observe.callers,
    captures: parts.config().analytics?.capture === true,
    stateKey: readStateKey(parts),
    isAlone: parts.cluster === undefined,
    record: (record: CallRecord, failure: string | undefined) => {
      if (failure !== undefined) report(eventOf(record, failure));
      storage.calls.add(record);
      metrics.add(record);
    },
    defaultPerMinute: (config) => (identifiesCallers(config, isLoopback) || !isLoopback ? 600 : undefined),
    httpOptions: (slug, config) => ({
      allowedHosts: allowedHosts(parts),
      allowedOrigins: parts.config().listen?.allowedOrigins,
      ...callerCheck(slug, config, parts),
      legacy: { sessions: (config.sessions ?? config.upstreams !== undefined) ? {} : false },
      closeTimeout: CLOSE_TIMEOUT,
      cluster: parts.cluster,
    }),
    planCard: (slug, config) =>
      planCard(slug, config, {
        namespace: parts.config().serverCards?.namespace,
        publicUrl: parts.publicUrl,
        isLoopback,
        redactor: storage.redactor,
      }),
    prepareUpstreams: (slug, config) =>
      prepareUpstreams(slug, config, {
        sources,
        secrets: storage.secrets,
        acceptedTools: storage.acceptedTools,
        redactor: storage.redactor,
        grants: storage.grants,
        logins,
        connect: callers.connectorFor(config.network ?? parts.config().network ?? {}),
        observer: parts.observe.upstreams,
        report,
      }),
    diagnose: (server, message, error) => report({ level: "warning", message, server, error }),
    inform: (server, message) => report({ level: "info", message, server }),
  };
}

function readStateKey({ config, resolve, storage }: GatewayParts): string | undefined {
  const { stateKey } = config();
  const value = stateKey === undefined ? undefined : resolve(stateKey);
  if (value !== undefined) storage.redactor.add(value);
  return value;
}

/** The names by which clients may call: those that are configured, or this machine; and the public one. */
function allowedHosts({ config, publicUrl }: GatewayParts): readonly string[] | undefined {
  const { allowedHosts: configured } = config().listen ?? {};
  if (publicUrl === undefined) return configured;
  return [...(configured ?? ["localhost", "127.0.0.1", "[::1]"]), new URL(publicUrl).host];
}

/** Decides on the callers of a server: by tokens, by API keys, or by both. */
function callerCheck(
  slug: string,
  config: ServerConfig,
  { storage, callers, publicUrl, isLoopback, config: current, resolve, report }: GatewayParts,
): Pick<HttpOptions, "auth" | "authenticate"> {
  const { keys } = storage;
  const auth = createServerAuth(slug, config, {
    publicUrl,
    keys,
    caller: callers.get(config.network ?? current().network ?? {}),
    resolve,
    diagnose: (message, error) => report({ level: "warning", message, server: slug, error }),
  });
  if (auth !== undefined) return { auth };
  return takesKeys(config, isLoopback) ? { authenticate: createKeyCheck(slug, keys) } : {};
}
