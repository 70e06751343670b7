/** An extension for tests, with both of its sides: a server that has flags, and a client that asks for them. */
import { connect, type Client, type ClientExtension, type ClientOptions, type ExtensionClient } from "@toolwire/client";
import { createMemoryChannels, type JsonObject } from "@toolwire/protocol";
import { createServer, method, type ExtensionHost, type ServerExtension } from "@toolwire/server";
import { serveChannel } from "@toolwire/server/channel";
import { serveHttp } from "@toolwire/server/http";
import { z } from "zod";

export const ID = "com.example/flags";

/** The server's side, and a way to publish events of the topic `flagNames`. */
export function flagsServer(hosts: ExtensionHost[] = []) {
  const flags = {
    id: ID,
    settings: { version: 3 },
    methods: {
      "com.example/flags/get": method({
        params: z.object({ name: z.string() }),
        result: z.object({ isOn: z.boolean() }),
        nameParam: "name",
        handle: ({ name }) => ({ isOn: name === "dark-mode" }),
      }),
    },
    topics: {
      flagNames: {
        accept(wanted) {
          const names = (wanted as string[]).filter((name) => name !== "secret");
          if (names.length === 0) return undefined;
          return {
            accepted: names,
            notify: (event) =>
              names.includes(event as string)
                ? { method: "notifications/com.example/flag", params: { name: event } }
                : undefined,
          };
        },
      },
    },
    start: (host) => void hosts.push(host),
  } satisfies ServerExtension;
  return createServer({ name: "flags", version: "1.0.0", onDiagnostic: () => {}, extensions: [flags] });
}

/** The client's side. Notifications that belong to no subscription are written down. */
export const flags = {
  id: ID,
  settings: (revision) => (revision < "2025-06-18" ? undefined : { version: 3 }),
  methods: { "com.example/flags/get": { nameParam: "name" } },
  topics: ["flagNames"],
  api: (client: ExtensionClient) => ({
    client,
    settings: (): JsonObject | undefined => client.agreement.settings,
    get: (name: string) => client.request("com.example/flags/get", { name }),
  }),
} satisfies ClientExtension<object>;

/** A connected client and what ends it. */
export interface Connected {
  readonly client: Client;
  close(): Promise<void>;
}

export type Binding = (server: ReturnType<typeof flagsServer>, options?: ClientOptions) => Promise<Connected>;

/** The bindings that the tests run over. */
export const BINDINGS: readonly (readonly [name: string, open: Binding])[] = [
  [
    "HTTP",
    async (server, options = {}) => {
      const { url, close } = await serveHttp(server, { port: 0 });
      const client = await connect(url, options);
      return { client, close: () => client.close().then(close) };
    },
  ],
  [
    "a channel",
    async (server, options = {}) => {
      const [near, far] = createMemoryChannels();
      const serving = serveChannel(server, far);
      const client = await connect(near, options);
      return { client, close: () => client.close().then(() => serving.close()) };
    },
  ],
];
