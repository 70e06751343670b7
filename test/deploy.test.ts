/** The files for operators, and what they rely on. */
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
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

  test("let the servers and gateways alone reach a Redis that forgets nothing", () => {
    const redis = readManifests("kubernetes/redis.yaml");
    const template = at(findKind(redis, "StatefulSet"), "spec", "template");
    expect(at(template, "spec", "containers", 0, "args")).toContain("noeviction");
    const policy = at(findKind(redis, "NetworkPolicy"), "spec");
    expect(at(policy, "podSelector", "matchLabels")).toEqual(at(template, "metadata", "labels"));
    const allowed = ["mcp-server", "mcp-gateway"].map((app) => ({ podSelector: { matchLabels: { app } } }));
    expect(at(policy, "ingress", 0, "from")).toEqual(allowed);
  });
});

/** What a load balancer of nginx would do wrong in front of these, as a compose file starts it. */
function findFaults(
  file: string,
  services: Record<string, unknown>,
  names: readonly string[],
  ports: readonly number[],
): readonly string[] {
  const balancer = read(file);
  const servers = names.flatMap((name) => ports.map((port) => `server ${name}:${port} `));
  const volumes = at(services, "balancer", "volumes") as readonly string[];
  return [
    ...names.filter((name) => !Object.hasOwn(at(services, "balancer", "depends_on") as object, name)),
    ...servers.filter((server) => !balancer.includes(server)),
    ...(balancer.includes("proxy_buffering off") ? [] : ["it delays events"]),
    ...(/ip_hash|^\s*sticky|^\s*hash /m.test(balancer) ? ["it is sticky"] : []),
    ...(volumes.includes(`./deploy/${file}:/etc/nginx/conf.d/default.conf:ro`) ? [] : ["it has another configuration"]),
  ];
}

/** The seconds of a duration of compose. */
function readSeconds(duration: unknown): number {
  const [, seconds] = /^(\d+)s$/.exec(String(duration)) ?? [];
  return Number(seconds);
}

describe("the gateways of the compose file", () => {
  const services = at(parse(read("compose.yaml"), { merge: true }), "services") as Record<string, unknown>;
  const names = ["gateway-1", "gateway-2"];
  /** Five seconds of `listen.drain`, thirty for calls in flight, five for the log. */
  const gatewayEnding = 40;

  test.each(names)("has %s, which is probed at `/readyz` and has the time to drain", (name) => {
    const gateway = services[name];
    expect(JSON.stringify(at(gateway, "healthcheck", "test"))).toContain("http://127.0.0.1:8080/readyz");
    expect(readSeconds(at(gateway, "stop_grace_period"))).toBeGreaterThanOrEqual(gatewayEnding + 5);
    expect(at(gateway, "volumes")).toContain("./deploy/gateway.yaml:/config/gateway.yaml:ro");
    expect(at(gateway, "build", "dockerfile")).toBe("packages/gateway/Dockerfile");
  });

  test("are given everything that their configuration refers to, which has no mistake", async () => {
    const environment = at(services, "gateway-1", "environment") as Record<string, string>;
    const referred = [...read("gateway.yaml").matchAll(/\$\{env:(\w+)\}/g)].map(([, name = ""]) => name);
    expect(referred).toHaveLength(4);
    expect(Object.keys(environment)).toEqual(expect.arrayContaining([...referred, "TOOLWIRE_GATEWAY_KEYS"]));
    const main = fileURLToPath(new URL("../packages/gateway/src/main.ts", import.meta.url));
    const file = fileURLToPath(new URL("../deploy/gateway.yaml", import.meta.url));
    const given = { GATEWAY_ADMIN_TOKEN: "q8Zr1mVx0cN5tYb7LkWd3sHj", TOOLWIRE_GATEWAY_KEYS: "k1:x" };
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--conditions=@toolwire/source", "--import", "tsx", main, "check", "--json", file],
      { env: { ...process.env, ...environment, ...given } },
    );
    const { ok, problems } = JSON.parse(stdout) as { ok: boolean; problems: readonly { readonly message: string }[] };
    expect(ok).toBe(true);
    expect(problems.map(({ message }) => message)).toEqual(["The admin API can be reached from other machines."]);
  });

  test("are behind a load balancer, which treats them alike and delays no event", () => {
    expect(findFaults("balancer.conf", services, names, [8080, 8081])).toEqual([]);
    expect(at(services, "balancer", "ports")).toEqual(["127.0.0.1:8080:8080", "127.0.0.1:8081:8081"]);
  });

  test("have engines that forget nothing, and images of a version", () => {
    expect(at(services, "redis", "command")).toContain("noeviction");
    for (const name of ["balancer", "redis", "postgres"]) {
      expect(at(services, name, "image")).toMatch(/^\w+:\d+\.?\d*-alpine$/);
    }
  });

  test("have the same in Kubernetes", () => {
    const manifests = readManifests("kubernetes/gateway.yaml");
    const deployment = findKind(manifests, "Deployment");
    const pod = at(deployment, "spec", "template", "spec");
    const container = at(pod, "containers", 0);
    expect(at(container, "livenessProbe", "httpGet")).toEqual({ path: "/livez", port: "http" });
    expect(at(container, "readinessProbe", "httpGet")).toEqual({ path: "/readyz", port: "http" });
    expect(at(pod, "terminationGracePeriodSeconds")).toBeGreaterThanOrEqual(gatewayEnding + 5);
    expect(at(container, "args")).toEqual(["serve", "/config/gateway.yaml"]);
    const labels = at(deployment, "spec", "template", "metadata", "labels");
    for (const manifest of manifests.filter((each) => at(each, "kind") === "Service")) {
      expect(at(manifest, "spec", "selector")).toEqual(labels);
      expect(at(manifest, "spec")).not.toHaveProperty("sessionAffinity");
    }
    expect(at(findKind(manifests, "PodDisruptionBudget"), "spec", "selector", "matchLabels")).toEqual(labels);
  });
});

describe("the servers of the other compose file", () => {
  const services = at(parse(read("compose-servers.yaml"), { merge: true }), "services") as Record<string, unknown>;

  test.each(["server-1", "server-2"])("has %s, which is probed at `/readyz` and has the time to drain", (name) => {
    const server = services[name];
    expect(JSON.stringify(at(server, "healthcheck", "test"))).toContain("http://127.0.0.1:3000/readyz");
    expect(readSeconds(at(server, "stop_grace_period"))).toBeGreaterThanOrEqual(ending + 5);
    expect(at(server, "environment")).toMatchObject({ PORT: "3000", REDIS_URL: "redis://redis:6379" });
  });

  test("has a load balancer in front of both, which treats them alike and delays no event", () => {
    expect(findFaults("balancer-servers.conf", services, ["server-1", "server-2"], [3000])).toEqual([]);
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
