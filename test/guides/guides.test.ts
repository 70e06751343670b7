import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { availableParallelism } from "node:os";
import { Collector } from "./collector.ts";
import { Guide } from "./guide.ts";

/** The guides have commands of a POSIX shell, which Windows may not have. */
const hasShell = process.platform !== "win32";

describe.runIf(hasShell)("the guide to an API as tools, followed from an empty folder", () => {
  let guide: Guide;

  beforeAll(async () => {
    guide = await Guide.open("api-as-tools.md", [7001, 8080, 8081]);
    await guide.write("api.mjs");
    await guide.runBlock("node api.mjs");
    await guide.write("gateway.yaml");
  }, 60_000);

  afterAll(() => guide.close());

  test("serves two tools that were written by hand, and answers as it says", async () => {
    const [, , checked] = await guide.runBlock("toolwire-gateway check");
    expect(checked).toContain("notes (active): 2 tools");
    const [answer = ""] = await guide.runBlock('"get_note"');
    expect(JSON.parse(answer)).toEqual(guide.json("Buy milk"));
    const [found, calls] = await guide.runBlock("call notes find_notes");
    expect(found).toBe('[{"id":1,"text":"Buy milk"}]');
    expect(calls).toMatch(/ ok .*notes\/get_note\n.* ok .*notes\/find_notes$/);
  }, 60_000);

  test("turns an OpenAPI document into a server, which appears without a restart", async () => {
    await guide.write("notes.openapi.yaml");
    const [printed = ""] = await guide.runBlock("toolwire-gateway import");
    const [, server = ""] = printed.split("servers:\n");
    await guide.change("gateway.yaml", (text) => `${text}${server}\n`);
    await expect
      .poll(() => guide.runBlock("secret set notes-api-key").catch((error: Error) => [error.message]))
      .toContain('{"id":2,"text":"Call Ada"}');
  }, 60_000);

  test("makes a key for others", async () => {
    const [key] = await guide.runBlock("key create");
    expect(key).toMatch(/^twk_/);
  });
});

describe.runIf(hasShell)("the guide to one door for many servers, followed from an empty folder", () => {
  let guide: Guide;

  beforeAll(async () => {
    guide = await Guide.open("one-door.md", [7002, 8080, 8081]);
    await guide.write("files.mjs");
    await guide.write("docs.mjs");
    await guide.runBlock("node docs.mjs");
    await guide.write("gateway.yaml");
  }, 60_000);

  afterAll(() => guide.close());

  test("lists and calls the tools of both servers, without those that are excluded", async () => {
    const [, , , tools, file, found] = await guide.runBlock("toolwire-gateway serve");
    expect(tools).toContain("files_read_file");
    expect(tools).toContain("search");
    expect(tools).not.toContain("delete_file");
    expect(file).toBe("The contents of notes.txt in ./shared");
    expect(found).toBe("Two pages mention gateways.");
  }, 60_000);
});

describe.runIf(hasShell)("the guide to a protected server, followed from an empty folder", () => {
  let guide: Guide;

  beforeAll(async () => {
    guide = await Guide.open("protect-and-log-in.md", [7003, 7004]);
    await guide.write("login.mjs");
    await guide.runBlock("node login.mjs");
    await guide.write("server.mjs");
  }, 60_000);

  afterAll(() => guide.close());

  test("tells clients without a token where to get one, as it says", async () => {
    const [, refusal, metadata = ""] = await guide.runBlock("node server.mjs");
    expect(refusal).toMatch(/^401 Bearer .*resource_metadata="http/);
    expect(JSON.parse(metadata)).toEqual(guide.json("authorization_servers"));
  }, 60_000);

  test("lets a person in who logs in twice, and never again", async () => {
    const opened = await guide.useBrowser();
    await guide.write("client.mjs");
    const [first] = await guide.runBlock("buy milk");
    expect(first).toBe("You have no notes.\nNoted.\nbuy milk");
    expect(await opened()).toHaveLength(2);
    const [second] = await guide.runBlock("call Ada");
    expect(second).toBe("buy milk\nNoted.\nbuy milk, call Ada");
    expect(await opened()).toHaveLength(2);
  }, 60_000);

  test("lets a program in, which has notes of its own", async () => {
    await guide.write("report.mjs");
    expect(await guide.runBlock("node report.mjs")).toEqual(["You have no notes."]);
  }, 60_000);
});

describe.runIf(hasShell)("the guide to all cores, followed from an empty folder", () => {
  let guide: Guide;

  beforeAll(async () => {
    guide = await Guide.open("guides/run-on-all-cores.md", [3000]);
    for (const file of ["server.ts", "main.ts", "count.ts"]) await guide.write(file);
    await guide.runBlock("main.ts &");
  }, 60_000);

  afterAll(() => guide.close());

  test("lets each core answer", async () => {
    const [counted] = await guide.runBlock("count.ts");
    expect(counted).toBe(`${Math.min(20, availableParallelism())} processes have answered.`);
  }, 60_000);

  test("takes up a new version when the first process gets the signal", async () => {
    await guide.change("server.ts", (text) => text.replace("String(process.pid)", '"a new version"'));
    guide.signal("SIGHUP");
    await expect.poll(() => guide.runBlock("count.ts"), { timeout: 60_000 }).toEqual(["1 processes have answered."]);
  }, 90_000);
});

describe.runIf(hasShell)("the guide to telemetry, followed from an empty folder", () => {
  let guide: Guide;
  let collector: Collector;

  beforeAll(async () => {
    collector = await Collector.start();
    guide = await Guide.open("guides/see-what-happens.md", [3000, 3001, 9464, 8080, 8081], {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: "100",
    });
    for (const file of ["measured.ts", "call.ts", "telemetry.ts", "traced-server.ts", "traced-client.ts"]) {
      await guide.write(file);
    }
  }, 60_000);

  afterAll(async () => {
    await guide.close();
    await collector.close();
  });

  test("gives Prometheus the metric that it shows", async () => {
    const [, answered, metrics] = await guide.runBlock("measured.ts &");
    expect(answered).toBe("It is sunny in Oslo.");
    expect(metrics).toMatch(
      /mcp_server_operation_duration_seconds_count\{mcp_method_name="tools\/call",.*gen_ai_tool_name="get_weather".*\} 1/,
    );
  }, 60_000);

  test("puts both spans of a call into one trace", async () => {
    await guide.runBlock("traced-server.ts &");
    await expect
      .poll(() => collector.tracesWith("plan a walk"))
      .toEqual([["plan a walk, internal", "tools/call get_weather, client", "tools/call get_weather, server"]]);
  }, 60_000);

  test("leads one trace from the caller of a gateway to its upstream", async () => {
    await guide.write("gateway.yaml");
    await guide.write("gateway-telemetry.ts");
    const printed = await guide.runBlock("--observe");
    expect(printed.at(-1)).toContain("It is sunny.");
    const call = "tools/call get_weather";
    await expect
      .poll(() => collector.tracesWith(call))
      .toContainEqual([`${call}, client`, `${call}, server`, `${call}, server`]);
  }, 60_000);
});

describe.runIf(hasShell)("the guide to an extension, followed from an empty folder", () => {
  let guide: Guide;

  beforeAll(async () => {
    guide = await Guide.open("guides/write-an-extension.md", [3000]);
    await guide.write("server.ts");
    await guide.write("client.ts");
  }, 60_000);

  afterAll(() => guide.close());

  test("adds a method with types on both sides in under sixty lines, and prints what it says", async () => {
    const [, printed] = await guide.runBlock("npx tsx client.ts");
    expect(printed).toBe(guide.text("Languages:"));
    const lines = await Promise.all(["server.ts", "client.ts"].map((name) => guide.countLines(name)));
    expect(lines.reduce((sum, count) => sum + count)).toBeLessThan(60);
  }, 60_000);
});
