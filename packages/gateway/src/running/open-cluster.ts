import { UsageError } from "@toolwire/server";
import postgres from "postgres";
import type { Cluster } from "@toolwire/server/cluster";
import type { ClusterConfig, GatewayConfig } from "../config/config.ts";
import type { ReferenceSources } from "../config/references.ts";
import { fillIn } from "../config/references.ts";
import type { GatewayOptions } from "../gateway.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { Storage } from "../storage/storage.ts";

/** A cluster that a gateway has joined, and the function by which it leaves. */
export interface SharedCluster {
  readonly cluster: Cluster;
  close(): Promise<void>;
}

/** So that the gateways of one engine are apart from other servers that use it. */
const PREFIX = "toolwire-gateway";
const SCHEMA = "toolwire_gateway";

/**
 * Joins the cluster that the configuration names, or takes the one that was given.
 *
 * The packages of the engines are optional peers, imported when they are configured: a gateway that serves alone needs neither, and
 * nobody should install the client of an engine to use none.
 *
 * @throws UsageError if a package is not installed, or the engine cannot be reached
 */
export async function openCluster(
  { cluster: config }: GatewayConfig,
  sources: ReferenceSources,
  { redactor }: Pick<Storage, "redactor">,
  options: GatewayOptions,
): Promise<SharedCluster | undefined> {
  if (options.cluster !== undefined) return { cluster: options.cluster, close: async () => undefined };
  if (config === undefined) return undefined;
  const url = readUrl(config, sources, redactor);
  try {
    return await (config.engine === "redis" ? joinRedis(url, config) : joinPostgres(url, config));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const missing = missingPackage(error);
    if (missing !== undefined) throw notInstalled(config.engine, missing);
    const reason = redactor.redact(error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
    throw new UsageError(
      "INVALID_STATE",
      `The engine of \`cluster\` cannot be used: ${reason}. Check its URL, and that it runs and lets this user in.`,
    );
  }
}

async function joinRedis(url: string, { prefix = PREFIX }: ClusterConfig): Promise<SharedCluster> {
  const { createClient } = await import("redis");
  const { redisCluster } = await import("@toolwire/redis");
  const client = createClient({ url });
  // Servers tell the operator that the engine cannot be reached. The client connects again by itself.
  client.on("error", () => undefined);
  try {
    const cluster = await redisCluster(client, { prefix });
    return {
      cluster,
      async close() {
        await cluster.close();
        client.destroy();
      },
    };
  } catch (error) {
    client.destroy();
    throw error;
  }
}

/** By connections of its own: one of them only listens. */
async function joinPostgres(url: string, { schema = SCHEMA }: ClusterConfig): Promise<SharedCluster> {
  const { postgresCluster } = await import("@toolwire/postgres");
  const sql = postgres(url, { max: 4, connect_timeout: 10, onnotice: () => undefined });
  try {
    const cluster = await postgresCluster(sql, { schema });
    return {
      cluster,
      async close() {
        await cluster.close();
        await sql.end({ timeout: 5 });
      },
    };
  } catch (error) {
    await sql.end({ timeout: 5 });
    throw error;
  }
}

/** The URL of the engine. What is secret in it is cleared from everything that the gateway says. */
function readUrl({ url: text }: ClusterConfig, sources: ReferenceSources, redactor: Redactor): string {
  const filled = fillIn(text, sources);
  if ("problem" in filled) throw new UsageError("INVALID_DEFINITION", `cluster.url: ${filled.problem}`);
  for (const hidden of [...filled.hidden, ...passwordsOf(filled.text)]) redactor.add(hidden);
  return filled.text;
}

/** The password of a URL, as it is written and as it is meant. */
function passwordsOf(url: string): readonly string[] {
  const { password } = URL.canParse(url) ? new URL(url) : { password: "" };
  if (password === "") return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

/** The package that could not be imported; `undefined` for other errors. */
function missingPackage(error: unknown): string | undefined {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== "ERR_MODULE_NOT_FOUND") return undefined;
  return /Cannot find package '([^']+)'/.exec(message)?.[1];
}

function notInstalled(engine: ClusterConfig["engine"], missing: string): UsageError {
  const packages = engine === "redis" ? "@toolwire/redis redis" : "@toolwire/postgres";
  return new UsageError(
    "INVALID_STATE",
    `\`cluster: { engine: ${engine} }\` needs ${missing}, which is not installed. Install the gateway with it: ` +
      `\`npm install @toolwire/gateway ${packages}\`. The container image has it.`,
  );
}
