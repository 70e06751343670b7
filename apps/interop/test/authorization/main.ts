// Logs in across SDKs: their client with our protected server, and our client with theirs. Prints one line of JSON for each pair.
//
//   node --conditions=@toolwire/source --import tsx apps/interop/test/authorization/main.ts

import { setTimeout as delay } from "node:timers/promises";
import { exportJWK, generateKeyPair } from "jose";
import { type IdentityProvider, startProvider } from "../../../../packages/client/test/auth/lab/identity-provider.ts";
import type { LoginOutcomes, LoginPair } from "../../src/authorization/outcomes.ts";
import {
  DESKTOP,
  MACHINE,
  ourBearer,
  ourMachine,
  ourSigner,
  ourUser,
  REDIRECT_URI,
  type RunningClient,
  SIGNER,
  type StartClient,
  theirMachine,
  theirSigner,
  theirUser,
} from "./clients.ts";
import { type RunningServer, startOurServer, startTheirServer } from "./servers.ts";

/** A client and a server that are tried out together. */
interface Trial extends Omit<LoginPair, "outcomes"> {
  readonly client: StartClient;
  readonly server: (idp: IdentityProvider) => Promise<RunningServer>;
  /** Who calls: a part of what the server says. */
  readonly caller: string;
  /** Whether the client asks for more scopes. */
  readonly stepsUp?: boolean;
}

/** The seconds for which tokens are valid: they end in the middle of each trial. */
const LIFETIME = 2;

const { privateKey } = await generateKeyPair("ES256", { extractable: true });
const key = (await exportJWK(privateKey)) as JsonWebKey;
const { d: _secret, ...publicKey } = key;

const ours = (idp: IdentityProvider): Promise<RunningServer> => startOurServer(idp, false);
const bound = (idp: IdentityProvider): Promise<RunningServer> => startOurServer(idp, "accepted");
const OUR_SERVER = "Our protected server with their client";
const OUR_CLIENT = "Our client with their protected server";
/** The SDK registers with the first scopes that it sees, and the authorization server then refuses all others. */
const user = { caller: "alice" };
const known = { caller: "alice", stepsUp: true };

const TRIALS: readonly Trial[] = [
  { side: OUR_SERVER, way: "`OAuthClientProvider`", client: theirUser("2026-07-28"), server: ours, ...user },
  { side: OUR_SERVER, way: "`OAuthClientProvider`, legacy", client: theirUser("legacy"), server: ours, ...user },
  {
    side: OUR_SERVER,
    way: "`OAuthClientProvider`, registered beforehand",
    client: theirUser("2026-07-28", DESKTOP),
    server: ours,
    ...known,
  },
  {
    side: OUR_SERVER,
    way: "`OAuthClientProvider`, registered beforehand, legacy",
    client: theirUser("legacy", DESKTOP),
    server: ours,
    ...known,
  },
  {
    side: OUR_SERVER,
    way: "`OAuthClientProvider`, challenge for Bearer and DPoP",
    client: theirUser("2026-07-28", DESKTOP),
    server: bound,
    ...known,
  },
  { side: OUR_SERVER, way: "`ClientCredentialsProvider`", client: theirMachine, server: ours, caller: MACHINE.id },
  { side: OUR_SERVER, way: "`PrivateKeyJwtProvider`", client: theirSigner(key), server: ours, caller: SIGNER.id },
  { side: OUR_CLIENT, way: "`oauth`", client: ourUser("2026-07-28"), server: startTheirServer, caller: "alice" },
  { side: OUR_CLIENT, way: "`oauth`, legacy", client: ourUser("legacy"), server: startTheirServer, caller: "alice" },
  {
    side: OUR_CLIENT,
    way: "`clientCredentials` with a secret",
    client: ourMachine,
    server: startTheirServer,
    caller: MACHINE.id,
  },
  {
    side: OUR_CLIENT,
    way: "`clientCredentials` with a key",
    client: ourSigner(key),
    server: startTheirServer,
    caller: SIGNER.id,
  },
  { side: OUR_CLIENT, way: "`bearer`", client: ourBearer, server: startTheirServer, caller: MACHINE.id },
];

for (const trial of TRIALS) {
  const { side, way } = trial;
  const pair: LoginPair = { side, way, outcomes: await run(trial) };
  console.log(JSON.stringify(pair));
}
// Connections that the official client keeps open must not keep this program.
process.exit(0);

async function run({ client: start, server: serve, caller, stepsUp }: Trial): Promise<LoginOutcomes> {
  const machine = { grant_types: ["client_credentials"], redirect_uris: [], response_types: [] };
  const idp = await startProvider({
    lifetime: LIFETIME,
    clients: [
      { ...machine, client_id: MACHINE.id, client_secret: MACHINE.secret },
      {
        ...machine,
        client_id: SIGNER.id,
        token_endpoint_auth_method: "private_key_jwt",
        jwks: { keys: [publicKey as never] },
      },
      {
        client_id: DESKTOP,
        application_type: "native",
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "refresh_token"],
        redirect_uris: [REDIRECT_URI],
      },
    ],
  });
  const server = await serve(idp);
  let client: RunningClient | undefined;
  const connected = (): RunningClient => client ?? fail("not connected");
  const expectCaller = async (): Promise<void> => {
    const text = await connected().call("whoami");
    if (!text.includes(caller)) fail(`the server says that the caller is ${text}`);
  };
  try {
    return {
      "log in": await attempt(async () => {
        client = await start(server.url, idp);
      }),
      call: await attempt(expectCaller),
      renew: await attempt(async () => {
        const before = idp.tokenRequests().length;
        for (let calls = 0; idp.tokenRequests().length === before; calls += 1) {
          if (calls > 100) fail("the token was never renewed");
          await delay(50);
          await expectCaller();
        }
      }),
      ...(stepsUp === true && {
        "more scopes": await attempt(async () => {
          const text = await connected().call("write");
          if (text !== "written") fail(`the tool says ${text}`);
        }),
      }),
    };
  } finally {
    await client?.close().catch(() => undefined);
    await server.close();
    await idp.close();
  }
}

async function attempt(work: () => Promise<void>): Promise<LoginOutcomes[string]> {
  try {
    await work();
    return "passed";
  } catch (error) {
    return { failed: (error as Error).message.slice(0, 300) };
  }
}

function fail(message: string): never {
  throw new Error(message);
}
