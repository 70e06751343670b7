/** The one way in which bindings decide on callers: the options `auth` and `authenticate` are both turned into it. */
import { AuthError, UsageError } from "@toolwire/protocol";
import { expectFunction, isObject, invalidOption } from "@toolwire/protocol/internal";
import type { ServerBinding } from "../../binding.ts";
import type { DetachCluster } from "../../cluster/attached.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import { isPrincipal } from "../../origin.ts";
import { isThenable, whenReady } from "../../request/thenable.ts";
import type { Admission, ResourceMetadata, ServerAuth } from "./auth.ts";
import type { AdmissionOptions } from "./options.ts";
import { accessRefused, unauthenticated } from "./refusals.ts";

/** Decides on callers. Like {@link ServerAuth}, of which it may be one, but not every check has metadata. */
export interface CallerCheck extends Pick<ServerAuth, "admit" | "challenge"> {
  readonly metadata: ResourceMetadata | undefined;
  /** Attaches what the process shares with others, as {@link ServerAuth.attachCluster} does. */
  attachCluster(cluster: Cluster): DetachCluster;
  /** Whether handlers cannot see the header fields that hold credentials. */
  readonly hidesCredentials: boolean;
}

/**
 * Reads the options `auth` and `authenticate`. Returns `undefined` if there is neither, so that everybody is let in.
 *
 * @throws UsageError if there are both, or if one is not what it should be
 */
export function readCallerCheck({ auth, authenticate }: AdmissionOptions): CallerCheck | undefined {
  if (auth !== undefined && authenticate !== undefined) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      "`auth` and `authenticate` both decide who the caller is: give one of them. `auth` verifies tokens; to decide by yourself, use `authenticate`.",
    );
  }
  if (auth !== undefined) return checkByAuth(expectServerAuth("auth", auth));
  return authenticate === undefined ? undefined : checkByHook(expectFunction("authenticate", authenticate));
}

/**
 * Returns a value that is a {@link ServerAuth}.
 *
 * @throws UsageError for anything else
 */
export function expectServerAuth(name: string, auth: unknown): ServerAuth {
  if (isServerAuth(auth)) return auth;
  throw invalidOption(name, auth, "made by protect({ … }) of @toolwire/server/auth");
}

function isServerAuth(auth: unknown): auth is ServerAuth {
  if (!isObject(auth) || typeof auth["admit"] !== "function" || typeof auth["challenge"] !== "function") return false;
  const { metadata } = auth;
  return isObject(metadata) && typeof metadata["path"] === "string" && typeof metadata["text"] === "string";
}

function checkByAuth(auth: ServerAuth): CallerCheck {
  return {
    metadata: auth.metadata,
    hidesCredentials: true,
    attachCluster: (cluster) => auth.attachCluster?.(cluster) ?? shareNothing,
    admit: (request) => whenReady(auth.admit(request), expectAdmission),
    challenge: (scopes) => auth.challenge(scopes),
  };
}

/** Refuses decisions that are none. A caller without an identity would share one with all others. */
function expectAdmission(admission: Admission): Admission {
  if (isObject(admission)) {
    if ("refusal" in admission && isObject(admission.refusal)) return admission;
    if ("principal" in admission && (admission.principal === undefined || isPrincipal(admission.principal))) {
      return admission;
    }
  }
  throw new UsageError(
    "INVALID_ARGUMENT",
    "`admit` of `auth` returns a `refusal`, or a `principal`: an object with an `id`, or undefined.",
  );
}

function shareNothing(): Promise<void> {
  return Promise.resolve();
}

function checkByHook(authenticate: NonNullable<AdmissionOptions["authenticate"]>): CallerCheck {
  return {
    metadata: undefined,
    hidesCredentials: false,
    attachCluster: () => shareNothing,
    admit(request) {
      try {
        const principal = authenticate(request);
        if (!isThenable(principal)) return toAdmission(principal);
        return Promise.resolve(principal).then(toAdmission, toRefusal);
      } catch (error) {
        return toRefusal(error);
      }
    },
    // Scopes have no characters that would have to be escaped.
    challenge: (scopes) => ["WWW-Authenticate", `Bearer error="insufficient_scope", scope="${scopes.join(" ")}"`],
  };
}

function toAdmission(principal: unknown): Admission {
  return isPrincipal(principal) ? { principal } : { refusal: unauthenticated() };
}

/** An `AuthError` refuses the caller. Anything else is unexpected. */
function toRefusal(error: unknown): Admission {
  if (error instanceof AuthError) return { refusal: accessRefused(error) };
  throw error;
}

/** The header fields that ask for scopes. A check that fails must not take the request with it. */
export function challengeFor(
  check: CallerCheck | undefined,
  scopes: readonly string[],
  server: ServerBinding,
): readonly string[] {
  try {
    return check?.challenge(scopes) ?? [];
  } catch (error) {
    server.diagnose({ level: "error", message: "`challenge` of `auth` failed; the 403 has no challenge.", error });
    return [];
  }
}

/** Whether a header field holds credentials that `auth` reads. */
export function isCredential(name: string): boolean {
  return name === "authorization" || name === "dpop";
}
