import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { calculateJwkThumbprint, exportJWK, SignJWT } from "jose";
import { DpopCheck, hashText, type ProofOutcome } from "../../src/auth/dpop/check-dpop.ts";
import { ReplayMemory } from "../../src/auth/dpop/replay.ts";
import type { Admission, TokenProtection } from "../../src/auth/index.ts";
import { createKey, headOf, RESOURCE, seconds } from "./lab/issuer.ts";
import { admitted, fieldOf, refused } from "./lab/outcome.ts";
import { DpopLab } from "./lab/proofs.ts";

let lab: DpopLab;
let auth: TokenProtection;
let token: string;

beforeAll(async () => {
  lab = await DpopLab.create();
  token = await lab.token();
});
beforeEach(() => {
  lab.told.length = 0;
  auth = lab.protectForLong("accepted");
});
afterEach(() => void vi.useRealTimers());

/** Sends a proof, and returns why it was refused. */
async function refusalOf(proof: string | undefined, target?: string, method?: string): Promise<string> {
  const { status, error, challenges } = await refused(auth.admit(lab.head(token, proof, target, method)));
  expect(status).toBe(401);
  expect(challenges["dpop"]).toMatchObject({ algs: expect.stringContaining("ES256") });
  return `${error}: ${lab.told.at(-1)}`;
}

describe("a DPoP proof", () => {
  test("lets its owner in, with a new one for every request, and the same principal", async () => {
    const first = await admitted(auth.admit(lab.head(token, await lab.proof(token))));
    const second = await admitted(auth.admit(lab.head(token, await lab.proof(token))));
    expect(second).toBe(first);
  });

  test("has to be there (step 1)", async () => {
    expect(await refusalOf(undefined)).toBe("invalid_dpop_proof: A DPoP proof was refused: there is none.");
  });

  test("has to be the only one, also if two headers were joined (step 1)", async () => {
    const two = `${await lab.proof(token)}, ${await lab.proof(token)}`;
    expect(await refusalOf(two)).toContain("invalid_dpop_proof: A DPoP proof was refused: it is not one JWT");
  });

  test.each(["", "proof", "a.b", "a.b.c.d", "!.!.!", `${"a".repeat(9000)}.b.c`])(
    "has to be a well-formed JWT, not %j (step 2)",
    async (proof) => {
      expect(await refusalOf(proof)).toContain("invalid_dpop_proof");
    },
  );

  test.each([
    ["jti", undefined],
    ["jti", ""],
    ["jti", 7],
    ["htm", undefined],
    ["htu", undefined],
    ["htu", 7],
    ["iat", undefined],
    ["iat", "now"],
    ["ath", undefined],
    ["nonce", 7],
  ])("has to have the claim %s, and not as %j (step 3)", async (name, value) => {
    expect(await refusalOf(await lab.proof(token, { [name]: value }))).toContain("invalid_dpop_proof");
  });

  test.each(["JWT", "at+jwt", undefined])("has to have its type, not %j (step 4)", async (typ) => {
    expect(await refusalOf(await lab.proof(token, {}, { typ }))).toContain("its `typ` is not dpop+jwt");
  });

  test("has to have an algorithm of those that are accepted, with a public key (step 5)", async () => {
    const secret = new TextEncoder().encode("a secret of thirty-two characters");
    const claims = { jti: "1", htm: "POST", htu: RESOURCE, iat: seconds() };
    const header = { alg: "HS256", typ: "dpop+jwt", jwk: { kty: "oct", k: Buffer.from(secret).toString("base64url") } };
    const symmetric = await new SignJWT(claims).setProtectedHeader(header as never).sign(secret);
    expect(await refusalOf(symmetric)).toContain("its algorithm is not accepted");
    const [, payload] = symmetric.split(".");
    const none = Buffer.from(JSON.stringify({ ...header, alg: "none" })).toString("base64url");
    expect(await refusalOf(`${none}.${payload}.x`)).toContain("its algorithm is not accepted");
    auth = lab.protectForLong({ mode: "accepted", algorithms: ["PS256", "ES256"] });
    await admitted(auth.admit(lab.head(token, await lab.proof(token))));
    auth = lab.protectForLong({ mode: "accepted", algorithms: ["PS256"] });
    const { error } = await refused(auth.admit(lab.head(token, await lab.proof(token))));
    expect(error).toBe("invalid_dpop_proof");
  });

  test("has to be signed by its key (step 6)", async () => {
    const stranger = await createKey("ES256");
    const forged = await lab.proof(token, {}, { jwk: lab.clientKey.jwk }, stranger);
    expect(await refusalOf(forged)).toContain("its signature does not verify");
    const [header, , signature] = (await lab.proof(token)).split(".");
    const [, payload] = (await lab.proof(token)).split(".");
    expect(await refusalOf(`${header}.${payload}.${signature}`)).toContain("its signature does not verify");
  });

  test("has to have a public key, and nothing of the private one (step 7)", async () => {
    const jwk = await exportJWK(lab.clientKey.privateKey);
    expect(jwk.d).toBeDefined();
    expect(await refusalOf(await lab.proof(token, {}, { jwk }))).toContain("is no public key");
    for (const other of [undefined, {}, "key", [], { kty: "oct", k: "x" }, { kty: "EC", crv: "P-256" }]) {
      expect(await refusalOf(await lab.proof(token, {}, { jwk: other }))).toMatch(/`jwk` is (?:missing|incomplete)/);
    }
  });

  test.each(["GET", "post", ""])("has to name the method of the request, not %j (step 8)", async (htm) => {
    expect(await refusalOf(await lab.proof(token, { htm }))).toContain("its `htm` is another method");
  });

  test.each([
    "https://evil.example.com/mcp",
    "http://api.example.com/mcp",
    "https://api.example.com:8443/mcp",
    "https://api.example.com/other",
    "https://api.example.com/mcp/more",
    "https://api.example.com/mcp//",
    "https://api.example.com/MCP",
    "https://user@api.example.com/mcp",
    "/mcp",
    "",
  ])("has to name the URL of the request, not %j (step 9)", async (htu) => {
    expect(await refusalOf(await lab.proof(token, { htu }))).toContain("its `htu` is another URL");
  });

  test.each([
    [RESOURCE, "/mcp"],
    [`${RESOURCE}/`, "/mcp"],
    [`${RESOURCE}?query=1#part`, "/mcp?query=2"],
    ["https://API.example.com:443/mcp", "/mcp"],
    // A proxy has removed the path.
    [RESOURCE, "/"],
    ["https://api.example.com/ws", "/ws?x=1"],
    ["https://api.example.com/ws", "http://internal/ws"],
  ])("may name %s in a request for %s (step 9)", async (htu, target) => {
    const { issuer } = await admitted(auth.admit(lab.head(token, await lab.proof(token, { htu }), target)));
    expect(issuer).toBeDefined();
  });

  test("is not tricked by a path that looks like a host (step 9)", async () => {
    const proof = await lab.proof(token, { htu: "https://evil.example.com/x" });
    expect(await refusalOf(proof, "//evil.example.com/x")).toContain("its `htu` is another URL");
  });

  test("has to have the nonce that was asked for, which is accepted then (step 10)", async () => {
    auth = lab.protect({ mode: "accepted", nonces: true });
    for (const nonce of [undefined, "", "made-up", "A".repeat(100)]) {
      const answer = await refused(auth.admit(lab.head(token, await lab.proof(token, { nonce }))));
      expect([answer.status, answer.error]).toEqual([401, "use_dpop_nonce"]);
      expect(answer.challenges["bearer"]).not.toHaveProperty("error");
      const given = answer.header("dpop-nonce")!;
      await admitted(auth.admit(lab.head(token, await lab.proof(token, { nonce: given }))));
    }
  });

  test.each([-301, 301, -1e6, 1e300])("has to be made now, not %d seconds away (step 11)", async (offset) => {
    expect(await refusalOf(await lab.proof(token, { iat: seconds(offset) }))).toContain(
      "its `iat` is too far from now",
    );
  });

  test.each([-295, 295])("may come from a clock that is off by %d seconds (step 11)", async (offset) => {
    const proof = await lab.proof(token, { iat: seconds(offset) });
    expect(await admitted(auth.admit(lab.head(token, proof)))).toBeDefined();
  });

  test("has to be for this token (step 12)", async () => {
    const other = await lab.token();
    expect(await refusalOf(await lab.proof(other))).toContain("its `ath` is of another token");
  });

  test("has to come from the key that the token is bound to (step 12)", async () => {
    const thief = await createKey("ES256");
    expect(await refusalOf(await lab.proof(token, {}, {}, thief))).toBe(
      "invalid_token: A DPoP proof was refused: its key is not that of the token.",
    );
  });

  test("is good once, even if it comes twice at the same time", async () => {
    const proof = await lab.proof(token);
    const outcomes = await Promise.all([1, 2, 3].map(async () => auth.admit(lab.head(token, proof))));
    expect(outcomes.filter((outcome) => "principal" in outcome)).toHaveLength(1);
    expect(await refusalOf(proof)).toContain("it was used before");
  });

  test("is not used up by a request that was refused for another reason", async () => {
    const proof = await lab.proof(token);
    expect(await refusalOf(proof, "/mcp", "GET")).toContain("`htm`");
    expect(await admitted(auth.admit(lab.head(token, proof)))).toBeDefined();
  });

  test.each(["ES256", "ES384", "EdDSA", "Ed25519", "PS256", "RS256"])("may be signed with %s", async (alg) => {
    const other = await DpopLab.create(alg);
    const bound = await other.token();
    const required = other.protectForLong("required");
    expect(await admitted(required.admit(other.head(bound, await other.proof(bound))))).toBeDefined();
  });
});

describe("a token that is bound to a key", () => {
  test("is refused as a bearer token, whatever the option says: a thief would send it so", async () => {
    for (const mode of ["accepted", "required", false] as const) {
      const head = headOf({ authorization: `Bearer ${token}`, dpop: await lab.proof(token) });
      expect((await refused(lab.protect(mode).admit(head))).status).toBe(401);
    }
    expect(lab.told.join()).toContain("to accept such tokens, set the option `dpop`");
  });

  test("is refused as a bearer token also right after it was accepted with a proof", async () => {
    await admitted(auth.admit(lab.head(token, await lab.proof(token))));
    expect((await refused(auth.admit(headOf({ authorization: `Bearer ${token}` })))).error).toBe("invalid_token");
  });
});

describe("a token that is bound to a key and to a certificate", () => {
  test("is refused with a good proof as well: the certificate cannot be checked", async () => {
    const jkt = await calculateJwkThumbprint(lab.clientKey.jwk);
    const both = await lab.token({ jkt, "x5t#S256": "abc" });
    expect((await refused(auth.admit(lab.head(both, await lab.proof(both))))).error).toBe("invalid_token");
  });
});

describe("a token that is bound to no key", () => {
  test("is refused with a proof: the proof would prove nothing", async () => {
    const plain = await lab.token(null);
    const { error } = await refused(auth.admit(lab.head(plain, await lab.proof(plain))));
    expect(error).toBe("invalid_token");
  });

  test("is accepted as a bearer token, unless keys are required", async () => {
    const authorization = `Bearer ${await lab.token(null)}`;
    await admitted(auth.admit(headOf({ authorization })));
    const { status, challenges } = await refused(lab.protect("required").admit(headOf({ authorization })));
    expect([status, Object.keys(challenges)]).toEqual([401, ["dpop"]]);
  });
});

describe("the challenge of a server with DPoP", () => {
  test("names both schemes, Bearer first, or DPoP alone if that is required", async () => {
    const accepted = await refused(auth.admit(headOf({})));
    expect(Object.keys(accepted.challenges)).toEqual(["bearer", "dpop"]);
    expect(accepted.challenges["dpop"]).toMatchObject({
      resource_metadata: auth.metadata.url,
      algs: "ES256 ES384 EdDSA Ed25519 PS256 RS256",
    });
    const required = await refused(lab.protect("required").admit(headOf({})));
    expect(Object.keys(required.challenges)).toEqual(["dpop"]);
  });
});

describe("nonces", () => {
  const key = "0123456789abcdef0123456789abcdef";
  const nonceOf = async (from: TokenProtection): Promise<string> =>
    (await refused(from.admit(lab.head(token, await lab.proof(token))))).header("dpop-nonce")!;

  test("are replaced ahead of their end, in the response to a request that was let in", async () => {
    auth = lab.protect({ mode: "accepted", nonces: true });
    const nonce = await nonceOf(auth);
    const early = await auth.admit(lab.head(token, await lab.proof(token, { nonce })));
    expect(early).not.toHaveProperty("headers");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 200_000 });
    const late = await auth.admit(lab.head(token, await lab.proof(token, { nonce })));
    const next = fieldOf((late as { headers: readonly string[] }).headers, "dpop-nonce")!;
    expect(next).not.toBe(nonce);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 110_000 });
    expect((await refused(auth.admit(lab.head(token, await lab.proof(token, { nonce }))))).error).toBe(
      "use_dpop_nonce",
    );
    await admitted(auth.admit(lab.head(token, await lab.proof(token, { nonce: next }))));
  });

  test("of one machine are accepted by another one with the same key, and by no other", async () => {
    const [one, two, other] = [key, key, key.toUpperCase()].map((each) =>
      lab.protect({ mode: "accepted", nonces: true, key: each }),
    );
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 });
    const nonce = await nonceOf(one!);
    await admitted(two!.admit(lab.head(token, await lab.proof(token, { nonce }))));
    expect((await refused(other!.admit(lab.head(token, await lab.proof(token, { nonce }))))).error).toBe(
      "use_dpop_nonce",
    );
  });

  test("of an older key are accepted while keys change", async () => {
    const [old, rotated] = [key, [key.toUpperCase(), key]].map((each) =>
      lab.protect({ mode: "accepted", nonces: true, key: each }),
    );
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 });
    const nonce = await nonceOf(old!);
    expect(await admitted(rotated!.admit(lab.head(token, await lab.proof(token, { nonce }))))).toBeDefined();
  });
});

describe("after a start", () => {
  const key = "0123456789abcdef0123456789abcdef";

  /** Sends a proof with the nonce that the server asks for, as clients do. */
  async function sendAsAsked(to: TokenProtection): Promise<{ proof: string; outcome: Admission }> {
    const { header } = await refused(to.admit(lab.head(token, await lab.proof(token))));
    const proof = await lab.proof(token, { nonce: header("dpop-nonce") });
    return { proof, outcome: await to.admit(lab.head(token, proof)) };
  }

  test.each([
    ["with a random key", {}],
    ["with a key that stays the same", { key }],
    ["that always wants nonces", { key, nonces: true }],
  ])("a server %s refuses a proof that was used before, and asks for a nonce of its own", async (_, more) => {
    const { proof, outcome } = await sendAsAsked(lab.protect({ mode: "accepted", ...more }));
    await admitted(outcome);
    // Nonces have whole milliseconds, and processes need longer to start.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 });
    const restarted = lab.protect({ mode: "accepted", ...more });
    const again = await refused(restarted.admit(lab.head(token, proof)));
    expect([again.status, again.error]).toEqual([401, "use_dpop_nonce"]);
    expect(again.challenges["dpop"]).toMatchObject({ error: "use_dpop_nonce" });
    await admitted((await sendAsAsked(restarted)).outcome);
    expect((await refused(restarted.admit(lab.head(token, proof)))).error).toBe("use_dpop_nonce");
  });

  test("a server refuses a proof without a nonce that was used before", async () => {
    const proof = await lab.proof(token);
    await admitted(auth.admit(lab.head(token, proof)));
    expect((await refused(lab.protect("accepted").admit(lab.head(token, proof)))).error).toBe("use_dpop_nonce");
  });

  test("a server wants no more nonces when proofs from before have expired", async () => {
    const started = lab.protect("accepted");
    await admitted((await sendAsAsked(started)).outcome);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 599_000 });
    const later = await lab.token();
    const { error } = await refused(started.admit(lab.head(later, await lab.proof(later))));
    expect(error).toBe("use_dpop_nonce");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2000 });
    await admitted(started.admit(lab.head(later, await lab.proof(later))));
  });

  test("a server wants no nonce if a store has kept the proofs, and refuses those that are in it", async () => {
    const seen = new Set<string>();
    const replay = { add: (id: string) => !seen.has(id) && seen.add(id) !== undefined };
    const proof = await lab.proof(token);
    await admitted(lab.protect({ mode: "accepted", replay }).admit(lab.head(token, proof)));
    const restarted = lab.protect({ mode: "accepted", replay });
    expect((await refused(restarted.admit(lab.head(token, proof)))).error).toBe("invalid_dpop_proof");
    await admitted(restarted.admit(lab.head(token, await lab.proof(token))));
  });

  test("a server takes bearer tokens as always", async () => {
    const authorization = `Bearer ${await lab.token(null)}`;
    expect(await admitted(lab.protect("accepted").admit(headOf({ authorization })))).toBeDefined();
  });
});

describe("a store for proofs", () => {
  test("that machines share refuses a proof that another machine has seen", async () => {
    const seen = new Map<string, number>();
    const replay = {
      add: async (id: string, expiresAt: number) => !seen.has(id) && seen.set(id, expiresAt) !== undefined,
    };
    const [one, two] = [1, 2].map(() => lab.protect({ mode: "accepted", replay }));
    const iat = seconds(-10);
    const proof = await lab.proof(token, { iat });
    await admitted(one!.admit(lab.head(token, proof)));
    expect((await refused(two!.admit(lab.head(token, proof)))).error).toBe("invalid_dpop_proof");
    // The store learns neither the key nor the id of the proof.
    expect([...seen]).toEqual([[expect.stringMatching(/^[\w-]{43}$/), (iat + 300) * 1000]]);
  });

  test("that is down leads to 503", async () => {
    const replay = { add: () => Promise.reject(new Error("down")) };
    const { status } = await refused(
      lab.protect({ mode: "accepted", replay }).admit(lab.head(token, await lab.proof(token))),
    );
    expect(status).toBe(503);
  });
});

/** A memory that is so old that no proof from before can be good. */
function oldMemory(maxProofs: number): ReplayMemory {
  return new ReplayMemory(maxProofs, -700_000);
}

describe("the memory of proofs", () => {
  test.each([
    ["its start", new ReplayMemory(10, 5000)],
    ["its first use, if there was no clock at its start", new ReplayMemory(10, 0)],
  ])("asks for nonces that were made after %s, until proofs from before have expired", (_, memory) => {
    expect(memory.nonceNotBefore(5000)).toBe(5001);
    expect(memory.nonceNotBefore(5001 + 600_000)).toBe(5001);
    expect(memory.nonceNotBefore(5002 + 600_000)).toBeUndefined();
  });

  test("forgets a proof when it has expired, and not before", () => {
    const memory = oldMemory(10);
    expect(memory.add("a", 0)).toBe(true);
    expect(memory.add("b", 599_000)).toBe(true);
    expect(memory.add("a", 600_000)).toBe(false);
    for (let turn = 1; turn < 5; turn += 1) memory.add(`later-${turn}`, turn * 700_000);
    expect(memory.add("a", 5 * 700_000)).toBe(true);
    expect(memory.nonceNotBefore(5 * 700_000)).toBeUndefined();
  });

  test("has room for 100 000 proofs by default", () => {
    const memory = new ReplayMemory(undefined, -700_000);
    for (let index = 0; index < 100_000; index += 1) memory.add(`proof-${index}`, 1000);
    expect([memory.size, memory.nonceNotBefore(1000)]).toEqual([100_000, undefined]);
    memory.add("one more", 1000);
    expect([memory.size, memory.nonceNotBefore(1000)]).toEqual([50_001, 1001]);
  });

  test("asks for newer nonces when it has to forget early, until forgotten proofs have expired", () => {
    const memory = oldMemory(10);
    for (let index = 0; index < 10; index += 1) memory.add(`proof-${index}`, 1000 + index);
    expect(memory.nonceNotBefore(1010)).toBeUndefined();
    expect(memory.size).toBe(10);
    memory.add("one more", 2000);
    expect(memory.size).toBe(6);
    expect(memory.nonceNotBefore(2000)).toBe(2001);
    expect(memory.nonceNotBefore(2001 + 600_000)).toBe(2001);
    expect(memory.nonceNotBefore(2002 + 600_000)).toBeUndefined();
  });

  test("never lets a forgotten proof in again, and goes on with proofs that have a newer nonce", async () => {
    const settings = { isRequired: false, algorithms: ["ES256"], wantsNonces: false, keys: [], replay: undefined };
    const check = new DpopCheck(RESOURCE, settings, oldMemory(4));
    const bound = { keyThumbprint: await calculateJwkThumbprint(lab.clientKey.jwk), tokenHash: await hashText(token) };
    const send = async (proof: string): Promise<ProofOutcome> => check.check(lab.head(token, proof), bound);
    const proofs = await Promise.all(Array.from({ length: 6 }, () => lab.proof(token)));
    const outcomes: ProofOutcome[] = [];
    for (const proof of proofs) outcomes.push(await send(proof));
    // The fifth one made the memory forget the first two, so that the sixth one needed a nonce.
    expect(outcomes.map(({ isGood }) => isGood)).toEqual([true, true, true, true, true, false]);
    expect(await send(proofs[0]!)).toMatchObject({ isGood: false });
    const { nonce } = outcomes[5] as { nonce: string };
    expect(await send(await lab.proof(token, { nonce }))).toMatchObject({ isGood: true });
  });

  test("never lets a forgotten proof in again that has a nonce of before", async () => {
    const settings = { isRequired: false, algorithms: ["ES256"], wantsNonces: true, keys: [], replay: undefined };
    const check = new DpopCheck(RESOURCE, settings, oldMemory(4));
    const bound = { keyThumbprint: await calculateJwkThumbprint(lab.clientKey.jwk), tokenHash: await hashText(token) };
    const send = async (proof: string): Promise<ProofOutcome> => check.check(lab.head(token, proof), bound);
    const { nonce } = (await send(await lab.proof(token))) as { nonce: string };
    const proofs = await Promise.all(Array.from({ length: 5 }, () => lab.proof(token, { nonce })));
    for (const proof of proofs) expect(await send(proof)).toMatchObject({ isGood: true });
    expect(await send(proofs[0]!)).toMatchObject({ isGood: false });
  });

  test("stays within its bound for a million proofs", () => {
    const memory = oldMemory(1000);
    for (let index = 0; index < 1_000_000; index += 1) memory.add(`proof-${index}`, index);
    expect(memory.size).toBeLessThanOrEqual(1000);
  });
});
