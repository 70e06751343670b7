import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { hasLoginCode, logInByLink } from "../../page/src/api/login-link.ts";

let sent: { readonly url: string; readonly body: unknown; readonly address: string }[];
let address: URL;
let answer: () => Response;

beforeEach(() => {
  sent = [];
  answer = () => new Response(null, { status: 204 });
  vi.stubGlobal("history", {
    replaceState: (_state: unknown, _title: string, url: string) => visit(url),
  });
  vi.stubGlobal("fetch", async (url: string, { body }: { readonly body: string }) => {
    sent.push({ url, body: JSON.parse(body), address: address.href });
    return answer();
  });
});

afterEach(() => vi.unstubAllGlobals());

function visit(path: string): void {
  address = new URL(path, "http://127.0.0.1:8081");
  vi.stubGlobal("location", address);
}

test("The code of a link logs in, after the address has lost it", async () => {
  visit("/keys?last=1h#login=Code_of-1-link");
  expect(hasLoginCode()).toBe(true);
  await expect(logInByLink()).resolves.toBeUndefined();
  const withoutCode = "http://127.0.0.1:8081/keys?last=1h";
  expect(sent).toEqual([{ url: "/api/v1/session", body: { code: "Code_of-1-link" }, address: withoutCode }]);
  expect(address.href).toBe(withoutCode);
  expect(hasLoginCode()).toBe(false);
});

test("A code that is not good is gone from the address as well, and the gateway's sentence says why", async () => {
  visit("/#login=used");
  answer = () => Response.json({ error: { code: "wrong_code", message: "This link logs in once." } }, { status: 401 });
  await expect(logInByLink()).resolves.toBe("This link logs in once.");
  expect(address.href).toBe("http://127.0.0.1:8081/");
});

test.for(["", "#main", "#login=", "#login=a b", "#xlogin=a", "#login=a&b"])(
  "What follows the address as %j is no code, and nothing is sent",
  async (hash) => {
    visit(`/keys${hash}`);
    const before = address.href;
    expect(hasLoginCode()).toBe(false);
    await expect(logInByLink()).resolves.toBeUndefined();
    expect(sent).toEqual([]);
    expect(address.href).toBe(before);
  },
);
