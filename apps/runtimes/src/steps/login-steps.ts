import { connect } from "@toolwire/client";
import { bearer, clientCredentials, type ClientAuth } from "@toolwire/client/auth";
import type { Revision } from "@toolwire/protocol";
import { codeOf, textOf } from "./calling-steps.ts";
import { expectSame } from "./expect.ts";
import type { Steps } from "./outcomes.ts";

/** A protected server, and what gets a client in. */
export interface LoginTask {
  readonly url: string;
  readonly issuer: string;
  /** A token, and the user that it is of. */
  readonly token: string;
  readonly subject: string;
  readonly machine: { readonly id: string; readonly secret: string };
}

/** Checks that a client in the runtime gets in by its credentials. */
export function loginSteps({ url, issuer, token, subject, machine }: LoginTask, revision: Revision): Steps {
  const ask = async (auth: ClientAuth): Promise<string> => {
    const client = await connect(url, { revision, reconnect: false, connectTimeout: 10_000, auth });
    const caller = await textOf(client, "caller");
    await client.close();
    return caller;
  };
  return {
    async "refused token"() {
      expectSame("the code", await codeOf(ask(bearer("no.real.token"))), "UNAUTHORIZED");
    },
    async bearer() {
      expectSame("the caller", await ask(bearer(token)), JSON.stringify([issuer, subject]));
    },
    async "client credentials"() {
      const auth = clientCredentials({ ...machine, issuer });
      // Two connections at once want the same token.
      const callers = await Promise.all([ask(auth), ask(auth)]);
      const caller = JSON.stringify([issuer, null, machine.id]);
      expectSame("the callers", callers, [caller, caller]);
    },
  };
}
