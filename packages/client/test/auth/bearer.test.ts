import { bearer } from "@toolwire/client/auth";
import { describe, expect, test } from "vitest";
import type { AuthRefusal, ClientAuth } from "../../src/transports/client-auth.ts";

const REQUEST = { url: new URL("https://mcp.example/mcp"), server: { url: new URL("https://mcp.example/mcp") } };

/** A refusal of a request that was sent with a token, or without one. */
function refusal(status: number, challenge: string | undefined, token?: string, previous: readonly unknown[] = []) {
  const sent = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const header = (name: string): string | undefined => (name === "www-authenticate" ? challenge : undefined);
  return { status, header, sent, previous, request: REQUEST } as unknown as AuthRefusal;
}

/** What a provider says about a refusal. */
async function saidBy(auth: ClientAuth, refused: AuthRefusal): Promise<unknown> {
  return auth.challenged!(refused, new AbortController()).then(
    () => "sent again",
    (error: unknown) => error,
  );
}

describe("a token that is refused", () => {
  test.each([
    [401, undefined, "UNAUTHORIZED", "https://mcp.example does not accept the token of `bearer`."],
    [401, "Bearer error=insufficient_scope, scope=a", "UNAUTHORIZED", "does not accept the token"],
    [403, undefined, "FORBIDDEN", "https://mcp.example does not allow this request with this token."],
    [403, "Bearer scope=a", "FORBIDDEN", "does not allow this request"],
    [403, "Bearer error=insufficient_scope", "FORBIDDEN", "does not allow this request"],
    [403, "Bearer error=insufficient_scope, scope=a", "INSUFFICIENT_SCOPE", "It lacks scopes."],
  ])("with status %i and the challenge %s is %s", async (status, challenge, code, message) => {
    const error = await saidBy(bearer("canary-token"), refusal(status, challenge, "canary-token"));
    expect(error).toMatchObject({
      name: "AuthError",
      code,
      message: expect.stringContaining(message) as string,
      challenge,
    });
    expect(String(error)).not.toContain("canary");
    if (code === "INSUFFICIENT_SCOPE") expect(error).toMatchObject({ scopes: ["a"] });
  });

  test("is asked for once more, and the request is sent again with another one", async () => {
    const asked: unknown[] = [];
    const auth = bearer(({ rejected, server }) => {
      asked.push([rejected, server.href]);
      return "new";
    });
    expect(await saidBy(auth, refusal(401, undefined, "old"))).toBe("sent again");
    expect(asked).toEqual([["old", "https://mcp.example/mcp"]]);
    expect(await saidBy(auth, refusal(401, undefined, "new"))).toMatchObject({ code: "UNAUTHORIZED" });
    expect(await saidBy(auth, refusal(401, undefined, "old", [{}]))).toMatchObject({ code: "UNAUTHORIZED" });
    expect(asked).toHaveLength(2);
    expect(await saidBy(auth, refusal(403, undefined, "old"))).toMatchObject({ code: "FORBIDDEN" });
    expect(asked).toHaveLength(2);
  });

  test("was missing, if there was none", async () => {
    const error = await saidBy(
      bearer(() => undefined),
      refusal(401, undefined),
    );
    expect(error).toMatchObject({ code: "UNAUTHORIZED", message: expect.stringContaining("had none") as string });
  });
});

test("a token is what RFC 6750 allows in a header", () => {
  for (const token of ["!", "~", "a.b-c_d~e+f/g="]) expect(() => bearer(token)).not.toThrow();
  for (const token of ["", " ", "a b", "a\n", "\u007f", "\u00e9", "\0"]) {
    expect(() => bearer(token)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  }
  expect(() => bearer(7 as never)).toThrow("`bearer` takes a token, or a function that returns one.");
});
