import { connect } from "@toolwire/client";
import {
  bearer,
  type ClientAuth,
  clientCredentials,
  enterprise,
  memoryStore,
  oauth,
  type TokenAuth,
  workload,
} from "@toolwire/client/auth";
import { fileStore, loopbackLogin } from "@toolwire/client/auth/node";
import { describe, expectTypeOf, test } from "vitest";

const issuer = "https://as.example";
const assertion = (): string => "jwt";

describe("credentials: no `issuer`, no compile", () => {
  test("threat 7: a secret, a key, an id, an assertion and a workload token name their issuer", () => {
    expectTypeOf(oauth).toBeFunction();
    // @ts-expect-error A secret without an issuer could be sent to any server.
    oauth({ client: { id: "a", secret: "b" } });
    // @ts-expect-error An id is known to one issuer.
    oauth({ client: { id: "a" } });
    // @ts-expect-error A key is, too.
    oauth({ client: { metadataUrl: "https://a.example/b", key: "k" } });
    // @ts-expect-error Machines have secrets as well.
    clientCredentials({ id: "a", secret: "b" });
    // @ts-expect-error And keys.
    clientCredentials({ id: "a", key: "b" });
    // @ts-expect-error Without a secret or a key, there is nothing to log in with.
    clientCredentials({ id: "a", issuer });
    // @ts-expect-error The token of a platform is a credential.
    workload({ assertion });
    // @ts-expect-error The identity provider is named, too.
    enterprise({ idp: { id: "a", secret: "b" }, idToken: "c", client: { id: "a", secret: "b", issuer } });
    // @ts-expect-error And the authorization server of the MCP server.
    enterprise({ idp: { id: "a", secret: "b", issuer }, idToken: "c", client: { id: "a", secret: "b" } });
  });

  test("with an issuer, all of them are credentials for `connect`", () => {
    expectTypeOf(oauth()).toEqualTypeOf<TokenAuth>();
    expectTypeOf(oauth({ client: { id: "a", secret: "b", issuer } })).toEqualTypeOf<TokenAuth>();
    expectTypeOf(oauth({ client: { name: "My app", metadataUrl: "https://a.example/b" } })).toEqualTypeOf<TokenAuth>();
    expectTypeOf(clientCredentials({ id: "a", key: "b", algorithm: "RS256", issuer })).toEqualTypeOf<TokenAuth>();
    expectTypeOf(workload({ issuer, assertion })).toEqualTypeOf<TokenAuth>();
    expectTypeOf(bearer(() => process.env["TOKEN"])).toEqualTypeOf<ClientAuth>();
    expectTypeOf(connect).toBeCallableWith("https://a.example", {
      auth: oauth({ login: loopbackLogin(), store: fileStore() }),
    });
    expectTypeOf(oauth).toBeCallableWith({ store: memoryStore(), dpop: "required", resource: "exact" });
  });
});
