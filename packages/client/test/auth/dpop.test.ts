import { calculateJwkThumbprint, decodeProtectedHeader, EmbeddedJWK, type JWK, jwtVerify } from "jose";
import { describe, expect, test } from "vitest";
import { DpopKey } from "../../src/auth/grants/dpop.ts";

const URL_OF_CALL = new URL("https://mcp.example/mcp?city=Oslo#part");

async function sha256(text: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from(text))).toString("base64url");
}

describe("a proof", () => {
  test("says method, URL and token of one request, and any library can verify it with the key that it names", async () => {
    const key = await DpopKey.generate(false);
    const proof = await key.prove("POST", URL_OF_CALL, "the-token");
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, { typ: "dpop+jwt", maxTokenAge: "1m" });
    expect(protectedHeader.alg).toBe("ES256");
    expect(payload).toEqual({
      jti: expect.stringMatching(/^[\w-]{43}$/) as string,
      htm: "POST",
      htu: "https://mcp.example/mcp",
      iat: expect.any(Number) as number,
      ath: await sha256("the-token"),
    });
  });

  test("holds the public half of the key, and nothing of the private one", async () => {
    for (const isExtractable of [true, false]) {
      const key = await DpopKey.generate(isExtractable);
      const { jwk } = decodeProtectedHeader(await key.prove("GET", URL_OF_CALL, "t"));
      expect(Object.keys(jwk ?? {}).toSorted()).toEqual(["crv", "kty", "x", "y"]);
      expect(jwk).toMatchObject({ kty: "EC", crv: "P-256" });
    }
  });

  test("names the token that it goes with, also after another one", async () => {
    const key = await DpopKey.generate(false);
    for (const token of ["one", "other", "other", "one"]) {
      const { payload } = await jwtVerify(await key.prove("GET", URL_OF_CALL, token), EmbeddedJWK);
      expect(payload["ath"]).toBe(await sha256(token));
    }
  });

  test("has an id that no other has", async () => {
    const key = await DpopKey.generate(false);
    const proofs = await Promise.all(Array.from({ length: 20 }, () => key.prove("GET", URL_OF_CALL, "t")));
    const ids = await Promise.all(proofs.map(async (proof) => (await jwtVerify(proof, EmbeddedJWK)).payload.jti));
    expect(new Set(ids).size).toBe(20);
  });
});

describe("nonces", () => {
  const nonceAt = async (key: DpopKey, url: string): Promise<unknown> =>
    (await jwtVerify(await key.prove("GET", new URL(url), "t"), EmbeddedJWK)).payload["nonce"];

  test("are sent to the origin that wants them, and to no other", async () => {
    const key = await DpopKey.generate(false);
    expect(key.learnNonce("https://a.example", "of-a")).toBe(true);
    expect(key.learnNonce("https://b.example", "of-b")).toBe(true);
    expect(await nonceAt(key, "https://a.example/x")).toBe("of-a");
    expect(await nonceAt(key, "https://b.example/y")).toBe("of-b");
    expect(await nonceAt(key, "https://a.example:8443/x")).toBeUndefined();
  });

  test("are new if they differ from the last one of the origin", async () => {
    const key = await DpopKey.generate(false);
    expect(key.learnNonce("https://a.example", "one")).toBe(true);
    expect(key.learnNonce("https://a.example", "one")).toBe(false);
    expect(key.learnNonce("https://a.example", undefined)).toBe(false);
    expect(key.learnNonce("https://a.example", "")).toBe(false);
    expect(await nonceAt(key, "https://a.example/")).toBe("one");
    expect(key.learnNonce("https://a.example", "two")).toBe(true);
    expect(await nonceAt(key, "https://a.example/")).toBe("two");
  });

  test("of a hundred origins are kept, and the one that was learned first makes room", async () => {
    const key = await DpopKey.generate(false);
    for (let index = 0; index < 100; index += 1) key.learnNonce(`https://a${index}.example`, "nonce");
    key.learnNonce("https://a0.example", "again");
    expect(await nonceAt(key, "https://a1.example/")).toBe("nonce");
    key.learnNonce("https://more.example", "nonce");
    expect(await nonceAt(key, "https://a0.example/")).toBe("again");
    expect(await nonceAt(key, "https://a1.example/")).toBeUndefined();
    expect(await nonceAt(key, "https://a2.example/")).toBe("nonce");
    expect(await nonceAt(key, "https://more.example/")).toBe("nonce");
  });
});

describe("a key that is kept", () => {
  test("is written as JSON if it can be exported, and is the same key when it is read", async () => {
    const key = await DpopKey.generate(true);
    const kept = JSON.parse(JSON.stringify(await key.write())) as JWK;
    expect(Object.keys(kept).toSorted()).toEqual(["crv", "d", "kty", "x", "y"]);
    const read = await DpopKey.read(kept);
    expect(await read?.thumbprint()).toBe(await key.thumbprint());
    expect(await read?.write()).toEqual(kept);
    const proof = await read!.prove("GET", URL_OF_CALL, "t");
    expect(await calculateJwkThumbprint(decodeProtectedHeader(proof).jwk!)).toBe(await key.thumbprint());
    await expect(jwtVerify(proof, EmbeddedJWK)).resolves.toBeDefined();
  });

  test("is read whatever its writer said that it is for", async () => {
    const key = await DpopKey.generate(true);
    const kept = { ...((await key.write()) as JWK), key_ops: ["verify"], ext: true };
    await expect((await DpopKey.read(kept))?.prove("GET", URL_OF_CALL, "t")).resolves.toContain(".");
  });

  test("is written as a pair if it cannot be exported", async () => {
    const key = await DpopKey.generate(false);
    expect(key.pair.privateKey.extractable).toBe(false);
    expect(await key.write()).toBe(key.pair);
    const read = await DpopKey.read(structuredClone(await key.write()));
    expect(await read?.thumbprint()).toBe(await key.thumbprint());
    await expect(jwtVerify(await read!.prove("GET", URL_OF_CALL, "t"), EmbeddedJWK)).resolves.toBeDefined();
  });

  test("is no key if there is nothing private in it", async () => {
    const { d: _, ...open } = (await (await DpopKey.generate(true)).write()) as JWK;
    for (const kept of [undefined, null, {}, open]) expect(await DpopKey.read(kept)).toBeUndefined();
  });
});

test("the thumbprint of a key is that of RFC 7638", async () => {
  const key = await DpopKey.generate(true);
  expect(await key.thumbprint()).toBe(await calculateJwkThumbprint((await key.write()) as JWK));
});
