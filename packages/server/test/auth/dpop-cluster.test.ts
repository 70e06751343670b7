/** DPoP at several nodes of a cluster, without a store or a key in the options. */
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { TokenProtection } from "../../src/auth/index.ts";
import { type Cluster, ClusterError, createMemoryEngine, type MemoryEngine } from "../../src/cluster/index.ts";
import { serveHttp } from "../../src/http.ts";
import { createServer } from "../../src/index.ts";
import { modern } from "../bindings/http/client.ts";
import { RESOURCE } from "./lab/issuer.ts";
import { admitted, refused } from "./lab/outcome.ts";
import { DpopLab } from "./lab/proofs.ts";

let lab: DpopLab;
let token: string;
let engine: MemoryEngine;

beforeAll(async () => {
  lab = await DpopLab.create();
  token = await lab.token();
});
beforeEach(() => {
  engine = createMemoryEngine();
});
afterEach(() => void vi.useRealTimers());

function protectAt(cluster: Cluster, nonces = false): TokenProtection {
  const auth = lab.protect({ mode: "accepted", nonces });
  auth.attachCluster?.(cluster);
  return auth;
}

describe("a DPoP proof in a cluster", () => {
  test("is good once, at whichever node it comes first, and also right after these have started", async () => {
    const [here, there] = [protectAt(engine.connect()), protectAt(engine.connect())];
    const head = lab.head(token, await lab.proof(token));
    const outcomes = await Promise.all([here, there, here, there].map(async (auth) => auth.admit(head)));
    expect(outcomes.filter((outcome) => "principal" in outcome)).toHaveLength(1);
    expect((await refused(there.admit(head))).error).toBe("invalid_dpop_proof");
  });

  test("with a nonce of one node is good at another", async () => {
    const [here, there] = [protectAt(engine.connect(), true), protectAt(engine.connect(), true)];
    const { error, header } = await refused(here.admit(lab.head(token, await lab.proof(token))));
    expect(error).toBe("use_dpop_nonce");
    await admitted(there.admit(lab.head(token, await lab.proof(token, { nonce: header("dpop-nonce") }))));
    const made = `Made1.${"A".repeat(64)}`;
    const invented = await refused(there.admit(lab.head(token, await lab.proof(token, { nonce: made }))));
    expect(invented.error).toBe("use_dpop_nonce");
  });

  test("is neither good nor bad while the engine is down: its client comes again", async () => {
    const cluster = engine.connect();
    const claim = vi.spyOn(cluster.once, "claim");
    claim.mockRejectedValueOnce(new ClusterError("UNAVAILABLE", "The engine cannot be reached."));
    const auth = protectAt(cluster);
    const head = lab.head(token, await lab.proof(token));
    const { status, header } = await refused(auth.admit(head));
    expect([status, header("retry-after")]).toEqual([503, "5"]);
    await admitted(auth.admit(head));
  });

  test("is remembered for as long as any node would accept it, under a name that tells nothing", async () => {
    const cluster = engine.connect();
    const claim = vi.spyOn(cluster.once, "claim");
    vi.useFakeTimers({ toFake: ["Date"] });
    const iat = Math.floor(Date.now() / 1000);
    await admitted(protectAt(cluster).admit(lab.head(token, await lab.proof(token, { jti: "secret", iat }))));
    expect(claim).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/^dpop\.[\w-]{43}$/),
      iat * 1000 + 300_000 - Date.now() + 60_000,
    );
  });

  test("goes to the store of the options, if there is one", async () => {
    const cluster = engine.connect();
    const claim = vi.spyOn(cluster.once, "claim");
    const added: string[] = [];
    const auth = lab.protect({ mode: "accepted", replay: { add: (key) => added.push(key) === 1 } });
    auth.attachCluster?.(cluster);
    await admitted(auth.admit(lab.head(token, await lab.proof(token))));
    expect(added).toHaveLength(1);
    expect(claim).not.toHaveBeenCalled();
  });

  test("is checked so over HTTP as well: the binding brings its cluster, until it closes", async () => {
    const auth = lab.protect("accepted");
    const server = createServer({ name: "protected", version: "1" });
    const options = { port: 0, path: new URL(RESOURCE).pathname, auth, cluster: engine.connect() };
    const { url, close } = await serveHttp(server, options);
    onTestFinished(close);
    expect(() => auth.attachCluster?.(engine.connect())).toThrow("`cluster` is not the one that `auth` has already");
    const { headers = [], ...request } = modern("ping");
    const proof = await lab.proof(token);
    const fields = [...(headers as [string, string][]), ["authorization", `DPoP ${token}`], ["dpop", proof]];
    const send = (): Promise<Response> => fetch(url, { ...request, headers: fields as [string, string][] });
    expect((await send()).status).not.toBe(401);
    expect((await send()).status).toBe(401);
    await close();
    expect(() => auth.attachCluster?.(engine.connect())).not.toThrow();
  });
});
