import type { RedisNodes, RedisServer } from "@toolwire/engines";
import { Redis, Cluster as IoCluster } from "ioredis";
import IoValkey from "iovalkey";
import { createClient, createCluster } from "redis";
import type { RedisClient } from "../../src/index.ts";

/** A client, and how a test ends it. */
export interface OpenClient {
  readonly client: RedisClient;
  destroy(): void;
}

/** Makes a client of a port. */
export type MakeClient = (port: number) => OpenClient;

const host = "127.0.0.1";

/** A client of each library for one server. */
export const CLIENTS: { readonly [name: string]: MakeClient } = {
  "node-redis": (port) => {
    const client = createClient({ url: `redis://${host}:${port}` });
    return { client, destroy: () => client.destroy() };
  },
  "node-redis with RESP2": (port) => {
    const client = createClient({ url: `redis://${host}:${port}`, RESP: 2 });
    return { client, destroy: () => client.destroy() };
  },
  ioredis: (port) => {
    const client = new Redis(port, host);
    return { client, destroy: () => client.disconnect() };
  },
  iovalkey: (port) => {
    const client = new IoValkey.Redis(port, host);
    return { client, destroy: () => client.disconnect() };
  },
};

/** A client of each library for a cluster. */
export const CLUSTER_CLIENTS: { readonly [name: string]: (nodes: RedisNodes) => OpenClient } = {
  "node-redis": ({ servers }) => {
    const client = createCluster({ rootNodes: servers.map(({ url }) => ({ url })) });
    return { client, destroy: () => client.destroy() };
  },
  ioredis: ({ servers }) => {
    const client = new IoCluster(hostsOf(servers));
    return { client, destroy: () => client.disconnect() };
  },
  iovalkey: ({ servers }) => {
    const client = new IoValkey.Cluster(hostsOf(servers));
    return { client, destroy: () => client.disconnect() };
  },
};

function hostsOf(servers: readonly RedisServer[]): { host: string; port: number }[] {
  return servers.map(({ port }) => ({ host, port }));
}
