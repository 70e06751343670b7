import { AuthError } from "@toolwire/protocol";
import { type ClientAuth as Authenticate, None } from "oauth4webapi";
import { machineSource } from "./machine-source.ts";
import { expectIssuer, expectText, keepKnownUser, readTokenOptions, refuse, type TokenOptions } from "./options.ts";
import { createTokenAuth, type TokenAuth } from "./token-auth.ts";

/** The grant by which a signed assertion is exchanged for a token (RFC 7523). */
export const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** The place that an assertion is made for. */
export interface AssertionRequest {
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly resource: string | undefined;
}

/** The options of {@link workload}. */
export interface WorkloadOptions extends TokenOptions {
  /** The authorization server that trusts the platform. The token of the platform is sent nowhere else. */
  readonly issuer: string;
  /** Returns the token that the platform gives to this workload. It is asked for every time, and never kept. */
  readonly assertion: (request: AssertionRequest) => string | Promise<string>;
  /** The id of the client, if the authorization server wants one. */
  readonly id?: string | undefined;
}

/** Logs in a workload by the identity that its platform gives to it, such as a cluster or a CI service. */
export function workload(options: WorkloadOptions): TokenAuth {
  const issuer = expectIssuer("workload.issuer", options?.issuer);
  const { assertion, id } = options;
  if (typeof assertion !== "function") refuse("workload.assertion", "a function that returns a token", assertion);
  if (id !== undefined) expectText("workload.id", id);
  const settings = readTokenOptions(options, false, true, issuer);
  // `oauth4webapi` wants the id of a client. It is not sent if there is none.
  const client = { id: id ?? "-", origin: "configured" as const };
  const authenticate: Authenticate = id === undefined ? () => {} : None();
  const source = machineSource({
    identity: ["workload", id ?? ""],
    issuer,
    rules: settings.rules,
    client: async () => client,
    authenticate,
    async grant({ place }) {
      const { issuer: metadata, resource } = place;
      const token = await assertion({ issuer: metadata.issuer, tokenEndpoint: metadata.token_endpoint, resource });
      if (typeof token === "string" && token !== "") return { type: JWT_BEARER, parameters: { assertion: token } };
      throw new AuthError("LOGIN_FAILED", "`assertion` returned no token of the platform.");
    },
  });
  return createTokenAuth({ ...keepKnownUser(settings), source });
}
