/** The dashboard for Grafana asks for metrics and labels that exist, under the names that Prometheus gets. */
import { readFileSync } from "node:fs";
import { connect } from "@toolwire/client";
import { createServer, tool } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { expect, onTestFinished, test } from "vitest";
import { Attribute, Metric } from "../src/conventions/names.ts";
import { clientTelemetry } from "@toolwire/otel/client";
import { createPrometheus } from "@toolwire/otel/prometheus";
import { serverTelemetry } from "@toolwire/otel/server";

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const { panels } = JSON.parse(read("../../../deploy/grafana/toolwire.json")) as Dashboard;
const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

/** Functions and words of PromQL, which look like names. */
const WORDS = /^(?:sum|rate|topk|histogram_quantile|by|le|job)$/;

/** Everything in an expression that is a metric: names outside of braces, brackets and lists of labels. */
function metricsIn(expression: string): string[] {
  const bare = expression.replaceAll(/\{[^}]*\}|\[[^\]]*\]|by \([^)]*\)/g, "");
  return [...bare.matchAll(/[a-z_]{3,}/g)].map(([name]) => name).filter((name) => !WORDS.test(name));
}

function labelsIn(expression: string): string[] {
  const lists = [...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(","));
  const matchers = [...expression.matchAll(/([a-z_]+)(?:=~|!=|=)"/g)].map(([, name = ""]) => name);
  return [...lists, ...matchers].map((name) => name.trim()).filter((name) => !WORDS.test(name));
}

/** The text that Prometheus reads after a legacy client has done everything once. */
async function exercise(): Promise<string> {
  const prometheus = createPrometheus();
  const { meter } = prometheus;
  const server = createServer({
    name: "measured",
    version: "1",
    observe: serverTelemetry({ meter }),
    tools: { echo: tool({ run: () => "echo" }) },
  });
  const served = await serveHttp(server, { port: 0 });
  const listener = await prometheus.listen({ port: 0 });
  onTestFinished(async () => {
    await Promise.all([listener.close(), served.close()]);
    await prometheus.close();
  });
  for (const era of ["legacy", "modern"] as const) {
    const client = await connect(served.url, { observe: clientTelemetry({ meter }), era });
    await client.callTool("echo");
    if (era === "modern") await client.subscribe({ tools: true }, () => {});
    await client.close();
  }
  await fetch(served.url, { method: "PUT" });
  return (await fetch(listener.url)).text();
}

test("the dashboard asks for metrics that are exposed, and for all of them", async () => {
  const text = await exercise();
  const exposed = new Set([...text.matchAll(/^([a-z_]+)(?:\{| )/gm)].map(([, name = ""]) => name));
  const asked = new Set(expressions.flatMap(metricsIn));
  expect([...asked].filter((name) => !exposed.has(name))).toEqual([]);
  for (const metric of Object.values(Metric)) {
    const name = metric.replaceAll(".", "_");
    expect(
      [...asked].some((each) => each.startsWith(name)),
      metric,
    ).toBe(true);
  }
});

test("the dashboard groups and filters by labels that are attributes of metrics", () => {
  const known = new Set(Object.values(Attribute).map((name) => name.replaceAll(".", "_")));
  const asked = expressions.flatMap(labelsIn);
  expect(asked.length).toBeGreaterThan(20);
  expect(asked.filter((name) => !known.has(name))).toEqual([]);
});

test("the README lists every metric and attribute", () => {
  const readme = read("../README.md");
  for (const name of [...Object.values(Metric), ...Object.values(Attribute)]) expect(readme).toContain(`\`${name}\``);
});
