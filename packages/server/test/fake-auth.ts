import type { Admission, RequestHead, ServerAuth } from "../src/http.ts";
import type { Principal } from "../src/index.ts";

/** Authorization whose tokens are the names of callers, for tests of what bindings make of it. */
export interface FakeAuth extends ServerAuth {
  /** The requests that were decided on. */
  readonly asked: RequestHead[];
}

/** The path of the metadata of a fake. */
export const METADATA_PATH = "/.well-known/oauth-protected-resource/mcp";

/** The document of a fake. */
export const METADATA_TEXT =
  '{"resource":"https://api.example.com/mcp","authorization_servers":["https://auth.example.com"]}';

/** Makes authorization of these callers, by token. `decide` decides in another way. */
export function fakeAuth(
  callers: Readonly<Record<string, Omit<Principal, "id">>>,
  decide?: (head: RequestHead) => Admission | Promise<Admission>,
): FakeAuth {
  const asked: RequestHead[] = [];
  return {
    asked,
    metadata: { url: `https://api.example.com${METADATA_PATH}`, path: METADATA_PATH, text: METADATA_TEXT },
    admit(head) {
      asked.push(head);
      if (decide !== undefined) return decide(head);
      const token = head.header("Authorization")?.replace("Bearer ", "") ?? "";
      const caller = callers[token];
      if (caller !== undefined) return { principal: { id: token, ...caller }, headers: ["X-Admitted", token] };
      const headers = ["WWW-Authenticate", `Bearer resource_metadata="https://api.example.com${METADATA_PATH}"`];
      return { refusal: { status: 401, message: "A token is needed.", headers } };
    },
    challenge: (scopes) => [
      "WWW-Authenticate",
      `Bearer error="insufficient_scope", scope="${scopes.join(" ")}", fake="1"`,
    ],
  };
}

/** The header that names a caller. */
export function as(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}
