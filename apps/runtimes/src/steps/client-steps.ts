import { connect, type Client, type ConnectTarget } from "@toolwire/client";
import type { Revision } from "@toolwire/protocol";
import { nameRuntime } from "../fixture/runtime-name.ts";
import { QUESTION } from "../fixture/talking-tools.ts";
import { callingSteps, textOf } from "./calling-steps.ts";
import { expectSame } from "./expect.ts";
import { offeringSteps } from "./offering-steps.ts";
import { attempt, takeSteps, type Outcomes, type Steps } from "./outcomes.ts";
import { ADDRESS, talkingSteps } from "./talking-steps.ts";

/** The two sides of the pair, in the words of `nameRuntime`. */
export interface Meeting {
  readonly client: string;
  readonly server: string;
  readonly revision: Revision;
}

/** Connects in one revision, and goes through everything that client and server can do together. */
export async function runClient(target: ConnectTarget, meeting: Meeting): Promise<Outcomes> {
  let client: Client | undefined;
  const connected = await attempt(async () => {
    client = await connectTo(target, meeting.revision);
  });
  if (client === undefined) return { connect: connected };
  return { connect: connected, ...(await takeSteps(allSteps(client, meeting))) };
}

function connectTo(target: ConnectTarget, revision: Revision): Promise<Client> {
  return connect(target, {
    info: { name: "runtimes", version: "1.0.0" },
    revision,
    connectTimeout: 10_000,
    reconnect: false,
    elicitation: ({ message }) =>
      message === QUESTION ? { action: "accept", content: { address: ADDRESS } } : { action: "decline" },
  });
}

function allSteps(client: Client, meeting: Meeting): Steps {
  return {
    async meet() {
      expectSame("the revision", client.revision, meeting.revision);
      expectSame("the instructions", client.instructions, "Ask for anything.");
      expectSame("the client's runtime", nameRuntime(), meeting.client);
      expectSame("the server's runtime", await textOf(client, "runtime"), meeting.server);
    },
    ...offeringSteps(client),
    ...callingSteps(client),
    ...talkingSteps(client),
    async close() {
      await client.close();
      expectSame("why the client is closed", String(await client.closed), "undefined");
    },
  };
}
