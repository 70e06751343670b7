import { expectTypeOf, test } from "vitest";
import {
  clerk,
  introspection,
  jwt,
  type JwtAlgorithm,
  protect,
  supabase,
  type TokenProtection,
  type TokenVerifier,
  type VerifyToken,
} from "../../src/auth/index.ts";
import type { ServerAuth } from "../../src/bindings/admission/auth.ts";

const issuer = "https://auth.example.com";

test("what protect returns is what bindings take", () => {
  expectTypeOf<TokenProtection>().toExtend<ServerAuth>();
  expectTypeOf(protect).returns.toEqualTypeOf<TokenProtection>();
});

test("a verifier is told its issuer, and a resource and a verifier are never left out", () => {
  expectTypeOf(jwt({ issuer })).toEqualTypeOf<TokenVerifier>();
  // @ts-expect-error -- the issuer is missing
  jwt({});
  // @ts-expect-error -- the resource is missing
  protect({ verify: jwt({ issuer }) });
  // @ts-expect-error -- the verifier is missing
  protect({ resource: "https://api.example.com" });
  // @ts-expect-error -- the secret is missing
  introspection({ issuer, endpoint: `${issuer}/introspect`, client: { id: "server" } });
});

test("the audience cannot be given up by accident", () => {
  expectTypeOf(jwt({ issuer, boundBy: "issuer" })).toEqualTypeOf<TokenVerifier>();
  jwt({ issuer, audience: "api", exclusiveAudience: true });
  // @ts-expect-error -- no audience has to be said by `boundBy`
  jwt({ issuer, audience: false });
  // @ts-expect-error -- they contradict each other
  jwt({ issuer, audience: "api", boundBy: "issuer" });
  // @ts-expect-error -- they contradict each other
  jwt({ issuer, boundBy: "issuer", exclusiveAudience: true });
  // @ts-expect-error -- one of the two has to be said
  clerk({ domain: "example.clerk.accounts.dev" });
  // @ts-expect-error -- it has to be said
  supabase({ url: "https://abc.supabase.co" });
});

test("algorithms with a shared secret do not exist", () => {
  expectTypeOf<"HS256">().not.toExtend<JwtAlgorithm>();
  // @ts-expect-error -- a shared secret
  jwt({ issuer, algorithms: ["HS256"] });
  // @ts-expect-error -- no signature
  jwt({ issuer, algorithms: ["none"] });
});

test("a function has to say whom a token is for, or that it has checked it", () => {
  expectTypeOf(() => ({ issuer, subject: "ada", audience: "api" })).toExtend<VerifyToken>();
  expectTypeOf(() => ({ issuer, subject: "ada", audienceChecked: true as const })).toExtend<VerifyToken>();
  expectTypeOf(() => undefined).toExtend<VerifyToken>();
  expectTypeOf(() => ({ issuer, subject: "ada" })).not.toExtend<VerifyToken>();
  expectTypeOf(() => ({ subject: "ada", audience: "api" })).not.toExtend<VerifyToken>();
});
