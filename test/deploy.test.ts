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

/** The part of a parsed file at this path. */
function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((part, name) => (part as Record<string | number, unknown> | undefined)?.[name], value);
}

function readManifests(path: string): unknown[] {
  return parseAllDocuments(read(path)).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as unknown;
  });
}

function findKind(manifests: readonly unknown[], kind: string): unknown {
  const found = manifests.find((manifest) => at(manifest, "kind") === kind);
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
  const pod = at(deployment, "spec", "template", "spec");
  const container = at(pod, "containers", 0);

  test("probe the paths that `health: true` adds, on the port of the server", () => {
    expect(at(container, "livenessProbe", "httpGet")).toEqual({ path: "/livez", port: "http" });
    expect(at(container, "readinessProbe", "httpGet")).toEqual({ path: "/readyz", port: "http" });
    expect(at(container, "startupProbe", "httpGet")).toEqual({ path: "/readyz", port: "http" });
    expect(at(container, "ports")).toEqual([{ name: "http", containerPort: 3000 }]);
    expect(at(container, "env")).toContainEqual({ name: "PORT", value: "3000" });
    expect(guide).toContain('process.env["PORT"]');
    expect(guide).toContain("health: true");
  });

  test("leave a server the time to drain, and notice within its wait that it does", () => {
    expect(Number.isFinite(ending)).toBe(true);
    expect(at(pod, "terminationGracePeriodSeconds")).toBeGreaterThanOrEqual(ending + 5);
    const readiness = at(container, "readinessProbe");
    expect(Number(at(readiness, "periodSeconds")) * Number(at(readiness, "failureThreshold"))).toBeLessThan(5);
  });

  test("replace servers one after the other, and choose pods that exist", () => {
    const labels = at(deployment, "spec", "template", "metadata", "labels");
    expect(labels).toEqual({ app: "mcp-server" });
    expect(at(deployment, "spec", "strategy", "rollingUpdate")).toMatchObject({ maxUnavailable: 0 });
    expect(at(deployment, "spec", "selector", "matchLabels")).toEqual(labels);
    const service = at(findKind(manifests, "Service"), "spec");
    expect(at(service, "selector")).toEqual(labels);
    expect(service).not.toHaveProperty("sessionAffinity");
    expect(at(findKind(manifests, "PodDisruptionBudget"), "spec", "selector", "matchLabels")).toEqual(labels);
  });

  test("let the servers alone reach a Redis that forgets nothing", () => {
    const redis = readManifests("kubernetes/redis.yaml");
    const template = at(findKind(redis, "StatefulSet"), "spec", "template");
    expect(at(template, "spec", "containers", 0, "args")).toContain("noeviction");
    const policy = at(findKind(redis, "NetworkPolicy"), "spec");
    expect(at(policy, "podSelector", "matchLabels")).toEqual(at(template, "metadata", "labels"));
    expect(at(policy, "ingress", 0, "from")).toEqual([{ podSelector: { matchLabels: { app: "mcp-server" } } }]);
  });
});

describe("the compose file", () => {
  const services = at(parse(read("compose.yaml"), { merge: true }), "services") as Record<string, unknown>;

  test.each(["server-1", "server-2"])("has %s, which is probed at `/readyz` and has the time to drain", (name) => {
    const server = services[name];
    expect(JSON.stringify(at(server, "healthcheck", "test"))).toContain("http://127.0.0.1:3000/readyz");
    const [, seconds] = /^(\d+)s$/.exec(at(server, "stop_grace_period") as string) ?? [];
    expect(Number(seconds)).toBeGreaterThanOrEqual(ending + 5);
    expect(at(server, "environment")).toMatchObject({ PORT: "3000", REDIS_URL: "redis://redis:6379" });
  });

  test("has a load balancer in front of both, which treats them alike and delays no event", () => {
    const balancer = read("balancer.conf");
    const names = Object.keys(at(services, "balancer", "depends_on") as object);
    expect(names).toEqual(["server-1", "server-2"]);
    for (const name of names) expect(balancer).toContain(`${name}:3000`);
    expect(balancer).toContain("proxy_buffering off");
    expect(balancer).not.toMatch(/ip_hash|^\s*sticky|^\s*hash /m);
    const mounted = "./deploy/balancer.conf:/etc/nginx/conf.d/default.conf:ro";
    expect(at(services, "balancer", "volumes")).toContain(mounted);
  });

  test("has engines that forget nothing, and images of a version", () => {
    expect(at(services, "redis", "command")).toContain("noeviction");
    expect(at(services, "postgres", "profiles")).toEqual(["postgres"]);
    for (const name of ["balancer", "redis", "postgres"]) {
      expect(at(services, name, "image")).toMatch(/^\w+:\d+\.?\d*-alpine$/);
    }
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
