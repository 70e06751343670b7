import { request } from "node:http";
import { connect, type Client } from "@toolwire/client";
import { bearer } from "@toolwire/client/auth";
import type { Revision } from "@toolwire/protocol";
import { RESOURCE } from "../fixture/guard.ts";
import type { Issuer } from "../issuer/start-issuer.ts";
import { codeOf, textOf } from "./calling-steps.ts";
import { expectSame, expectThat } from "./expect.ts";
import type { Steps } from "./outcomes.ts";

/** Two servers that take the tokens of an issuer, and have not been called yet. */
export interface GuardedServers {
  readonly issuer: Issuer;
  /** The URL of the one that was given the keys, */
  readonly given: string;
  /** and of the one that fetches them. */
  readonly fetching: string;
  readonly revision: Revision;
}

const CALLERS_AT_ONCE = 20;

/** Checks that a server in the runtime lets callers in by their tokens, and nobody else. */
export function guardSteps({ issuer, given, fetching, revision }: GuardedServers): Steps {
  const open = (url: string, token: string): Promise<Client> =>
    connect(url, { revision, reconnect: false, connectTimeout: 10_000, auth: bearer(token) });
  const expectCaller = async (url: string, subject: string): Promise<void> => {
    const client = await open(url, await issuer.sign(subject, RESOURCE));
    expectSame("the caller", await textOf(client, "caller"), JSON.stringify([issuer.url, subject]));
    await client.close();
  };
  return {
    async "refuse strangers"() {
      const token = await issuer.sign("ada", "https://other.example/mcp");
      for (const bad of ["no.real.token", token, `${token.slice(0, -8)}AAAAAAAA`]) {
        expectSame("the code", await codeOf(open(given, bad)), "UNAUTHORIZED");
      }
    },
    "given keys": () => expectCaller(given, "ada"),
    async "fetched keys"() {
      // Some runtimes cancel what a request has begun when its caller leaves. Nobody else may be left waiting for it.
      await callAndLeave(fetching, await issuer.sign("eve", RESOURCE), issuer.keysRequested());
      const subjects = Array.from({ length: CALLERS_AT_ONCE }, (_, index) => `caller ${index}`);
      await Promise.all(subjects.map((subject) => expectCaller(fetching, subject)));
    },
  };
}

/** Sends a request, and breaks its connection off at a certain moment. */
async function callAndLeave(url: string, token: string, moment: Promise<void>): Promise<void> {
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(url.startsWith("ws") && {
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
      "Sec-WebSocket-Protocol": "mcp",
    }),
  };
  const calling = request(url.replace(/^ws/, "http"), { headers, agent: false });
  calling.on("error", () => undefined).end();
  await moment;
  const closed = new Promise<void>((resolve) => calling.once("close", resolve));
  // A reset: workerd takes a mere end for the end of the request's body.
  calling.socket?.resetAndDestroy();
  await closed;
}

/** Checks what clients are told over HTTP. */
export function challengeSteps(url: string, issuer: string): Steps {
  return {
    async challenge() {
      const refused = await fetch(url, { method: "POST", body: "{}", headers: { "content-type": "application/json" } });
      await refused.body?.cancel();
      expectSame("the status without a token", refused.status, 401);
      const challenge = refused.headers.get("www-authenticate") ?? "";
      const { origin, pathname } = new URL(RESOURCE);
      const metadataUrl = `${origin}/.well-known/oauth-protected-resource${pathname}`;
      expectThat("the metadata are named", challenge.includes(`resource_metadata="${metadataUrl}"`), challenge);
      const metadata = await fetch(new URL(new URL(metadataUrl).pathname, url));
      const { resource, authorization_servers: issuers } = (await metadata.json()) as Record<string, unknown>;
      expectSame("the metadata", [resource, issuers], [RESOURCE, [issuer]]);
    },
  };
}
