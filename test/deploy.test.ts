/** The files for operators, and what they rely on. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { connect } from "@toolwire/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { eventually } from "./eventually.ts";

function read(path: string): string {
  return readFileSync(new URL(`../deploy/${path}`, import.meta.url), "utf8");
}

/** Any part of a parsed file. */
interface Part {
  readonly [name: string]: Part;
}

function readManifests(path: string): Part[] {
  return parseAllDocuments(read(path)).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Part;
  });
}

function findKind(manifests: readonly Part[], kind: string): Part {
  const found = manifests.find((manifest) => (manifest["kind"] as unknown) === kind);
  if (found === undefined) throw new Error(`There is no ${kind}.`);
  return found;
}

const guide = readFileSync(new URL("../docs/guides/run-on-several-machines.md", import.meta.url), "utf8");

/** How long a server of the guide takes to end, in seconds, at most: what `drain` waits by default, and what runs. */
const closeTimeout = Number(/closeTimeout: ([\d_]+)/.exec(guide)?.[1]?.replaceAll("_", "")) / 1000;
const ending = 5 + closeTimeout;

describe("the manifests for Kubernetes", () => {
  const manifests = readManifests("kubernetes/server.yaml");
  const deployment = findKind(manifests, "Deployment");
  const pod = deployment["spec"]?.["template"]?.["spec"];
  const container = (pod?.["containers"] as unknown as Part[])[0];

  test("probe the paths that `health: true` adds, on the port of the server", () => {
    const probed = (name: string): unknown => container?.[name]?.["httpGet"];
    expect(probed("livenessProbe")).toEqual({ path: "/livez", port: "http" });
    expect(probed("readinessProbe")).toEqual({ path: "/readyz", port: "http" });
    expect(probed("startupProbe")).toEqual({ path: "/readyz", port: "http" });
    expect(container?.["ports"]).toEqual([{ name: "http", containerPort: 3000 }]);
    expect(container?.["env"]).toContainEqual({ name: "PORT", value: "3000" });
    expect(guide).toContain('process.env["PORT"]');
    expect(guide).toContain("health: true");
  });

  test("leave a server the time to drain, and notice within its wait that it does", () => {
    expect(Number.isFinite(ending)).toBe(true);
    expect(pod?.["terminationGracePeriodSeconds"]).toBeGreaterThanOrEqual(ending + 5);
    const { periodSeconds, failureThreshold } = (container?.["readinessProbe"] ?? {}) as Record<string, unknown>;
    expect(Number(periodSeconds) * Number(failureThreshold)).toBeLessThan(5);
  });

  test("replace servers one after the other, and choose pods that exist", () => {
    const labels = deployment["spec"]?.["template"]?.["metadata"]?.["labels"];
    expect(deployment["spec"]?.["strategy"]?.["rollingUpdate"]).toMatchObject({ maxUnavailable: 0 });
    expect(deployment["spec"]?.["selector"]?.["matchLabels"]).toEqual(labels);
    expect(findKind(manifests, "Service")["spec"]?.["selector"]).toEqual(labels);
    expect(findKind(manifests, "Service")["spec"]).not.toHaveProperty("sessionAffinity");
    expect(findKind(manifests, "PodDisruptionBudget")["spec"]?.["selector"]?.["matchLabels"]).toEqual(labels);
  });

  test("let the servers alone reach a Redis that forgets nothing", () => {
    const redis = readManifests("kubernetes/redis.yaml");
    const set = findKind(redis, "StatefulSet")["spec"]?.["template"];
    expect((set?.["spec"]?.["containers"] as unknown as Part[])[0]?.["args"]).toContain("noeviction");
    const policy = findKind(redis, "NetworkPolicy")["spec"];
    expect(policy?.["podSelector"]?.["matchLabels"]).toEqual(set?.["metadata"]?.["labels"]);
    expect(JSON.stringify(policy?.["ingress"])).toContain('"matchLabels":{"app":"mcp-server"}');
  });
});

describe("the compose file", () => {
  const compose = parse(read("compose.yaml"), { merge: true }) as Part;
  const services = compose["services"] ?? {};

  test("has two servers, which are probed at `/readyz` and have the time to drain", () => {
    for (const name of ["server-1", "server-2"]) {
      const server = services[name];
      expect(JSON.stringify(server?.["healthcheck"]?.["test"])).toContain("http://127.0.0.1:3000/readyz");
      expect(Number.parseInt(String(server?.["stop_grace_period"]), 10)).toBeGreaterThanOrEqual(ending + 5);
      expect(server?.["environment"]).toMatchObject({ PORT: "3000", REDIS_URL: "redis://redis:6379" });
    }
  });

  test("has a load balancer in front of both, which treats them alike and delays no event", () => {
    const balancer = read("balancer.conf");
    for (const name of Object.keys(services["balancer"]?.["depends_on"] ?? {}))
      expect(balancer).toContain(`${name}:3000`);
    expect(balancer).toContain("proxy_buffering off");
    expect(balancer).not.toMatch(/ip_hash|^\s*sticky|^\s*hash /m);
    expect(services["balancer"]?.["volumes"]).toContain("./deploy/balancer.conf:/etc/nginx/conf.d/default.conf:ro");
  });

  test("has engines that forget nothing, and images of a version", () => {
    expect(services["redis"]?.["command"]).toContain("noeviction");
    expect(services["postgres"]?.["profiles"]).toEqual(["postgres"]);
    const images = Object.values(services).flatMap((service) => ("image" in service ? [String(service["image"])] : []));
    expect(images).toHaveLength(3);
    for (const image of images) expect(image).toMatch(/^\w+:\d+\.?\d*-alpine$/);
  });
});

test("a process that gets SIGTERM is not ready at once, finishes its calls, and ends", async () => {
  const program = fileURLToPath(new URL("deployment/drained.ts", import.meta.url));
  const child = fork(program, { execArgv: ["--conditions=@toolwire/source", "--import", "tsx"] });
  const exit = once(child, "exit");
  onTestFinished(() => void child.kill("SIGKILL"));
  const [url] = (await once(child, "message")) as [string];
  const client = await connect(url);
  onTestFinished(() => client.close());
  const ready = async (): Promise<number> => (await fetch(new URL("/readyz", url))).status;
  expect(await ready()).toBe(200);
  const running = once(child, "message");
  const call = client.callTool("wait");
  await running;
  child.kill("SIGTERM");
  await eventually(async () => expect(await ready()).toBe(503));
  child.send("finish");
  expect(await call).toMatchObject({ content: [{ text: "done" }] });
  expect(await exit).toEqual([0, null]);
});
