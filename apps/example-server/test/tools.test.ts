import { gunzipSync } from "node:zlib";
import { connect } from "@toolwire/client";
import type { Progress } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { MAIN } from "./built-server.ts";
import { textOf, useServer } from "./use-server.ts";

const { start } = useServer();

describe("tools that answer at once", () => {
  test("get-env shows listed variables and nothing else", async () => {
    const client = await connect({
      command: process.execPath,
      args: [MAIN, "stdio"],
      env: { TZ: "Europe/Oslo", API_KEY: "secret" },
    });
    const shown = JSON.parse(await textOf(client.callTool("get-env")));
    expect(shown["TZ"]).toBe("Europe/Oslo");
    expect(Object.keys(shown).filter((name) => /KEY|PATH|HOME|USER/.test(name))).toEqual([]);
    await client.close();
  });

  test("get_weather and get_weather_data agree, and never change", async () => {
    const client = await start();
    const { structuredContent } = await client.callTool("get_weather_data", { location: "Oslo" });
    const { temperature, conditions, humidity } = structuredContent as { [key: string]: number };
    expect(await client.callTool("get_weather_data", { location: " oslo" })).toMatchObject({ structuredContent });
    const text = `Current weather in Oslo:\nTemperature: ${temperature} °C\nConditions: ${conditions}\nHumidity: ${humidity} %`;
    expect(await textOf(client.callTool("get_weather", { city: "Oslo" }))).toBe(text);
    const imperial = await textOf(client.callTool("get_weather", { city: "Oslo", units: "imperial" }));
    const fahrenheit = Number(/Temperature: (\S+) °F/.exec(imperial)?.[1]);
    expect(Math.abs(fahrenheit - ((temperature ?? NaN) * 1.8 + 32))).toBeLessThanOrEqual(0.25);
    expect(await client.callTool("get_weather", { city: "Oslo", units: "kelvin" })).toMatchObject({ isError: true });
  });

  test("pictures and sounds are what they say they are", async () => {
    const client = await start();
    const { content } = await client.callTool("get-tiny-image");
    expect(content.map(({ type }) => type)).toEqual(["text", "image", "text"]);
    const picture = content[1] as { data: string; mimeType: string };
    expect(picture.mimeType).toBe("image/png");
    expect(Buffer.from(picture.data, "base64").subarray(1, 4).toString()).toBe("PNG");
    const { content: sounds } = await client.callTool("get-tiny-audio");
    const sound = sounds[0] as { data: string; mimeType: string };
    expect(sound).toMatchObject({ type: "audio", mimeType: "audio/wav" });
    expect(Buffer.from(sound.data, "base64").subarray(0, 4).toString()).toBe("RIFF");
  });

  test("get-annotated-message annotates by kind, and adds a picture on request", async () => {
    const client = await start();
    const error = await client.callTool("get-annotated-message", { messageType: "error" });
    expect(error.content).toMatchObject([
      { type: "text", annotations: { priority: 1, audience: ["user", "assistant"] } },
    ]);
    const debug = await client.callTool("get-annotated-message", { messageType: "debug", includeImage: true });
    expect(debug.content).toMatchObject([
      { type: "text", annotations: { priority: 0.3, audience: ["assistant"] } },
      { type: "image", annotations: { priority: 0.5, audience: ["user"] } },
    ]);
  });

  test("links lead to resources that can be read, and references bring them along", async () => {
    const client = await start();
    const { content } = await client.callTool("get-resource-links", { count: 4 });
    const links = content.filter((block) => block.type === "resource_link");
    expect(links).toHaveLength(4);
    for (const { uri, mimeType } of links) {
      expect(await client.readResource(uri)).toMatchObject({ contents: [{ uri, mimeType }] });
    }
    const reference = await client.callTool("get-resource-reference", { resourceType: "Blob", resourceId: 7 });
    const uri = "demo://resource/dynamic/blob/7";
    const { contents } = await client.readResource(uri);
    expect(reference.content[1]).toEqual({ type: "resource", resource: contents[0] });
    expect(await client.callTool("get-resource-links", { count: 11 })).toMatchObject({ isError: true });
  });
});

describe("gzip-file-as-resource", () => {
  const data = `data:text/plain;base64,${Buffer.from("to be compressed").toString("base64")}`;

  test("links to the compressed file, which can be read", async () => {
    const client = await start();
    const { content } = await client.callTool("gzip-file-as-resource", { name: "file.gz", data });
    expect(content).toMatchObject([{ type: "resource_link", name: "file.gz", mimeType: "application/gzip" }]);
    const { uri } = content[0] as { uri: string };
    const { contents } = await client.readResource(uri);
    const { blob } = contents[0] as { blob: string };
    expect(gunzipSync(Buffer.from(blob, "base64")).toString()).toBe("to be compressed");
    await expect(client.readResource(uri.replace("file.gz", "other.gz"))).rejects.toThrow("not found");
  });

  test("brings the compressed file along", async () => {
    const client = await start();
    const { content } = await client.callTool("gzip-file-as-resource", { data, outputType: "resource" });
    const { resource } = content[0] as { resource: { blob: string } };
    expect(gunzipSync(Buffer.from(resource.blob, "base64")).toString()).toBe("to be compressed");
  });

  test.each([
    ["http://127.0.0.1/", "public internet"],
    ["http://169.254.169.254/latest/meta-data/", "public internet"],
    ["http://localhost:9/", "public internet"],
    ["file:///etc/passwd", "expected an http:, https: or data: URL"],
  ])("does not fetch %s", async (url, words) => {
    const client = await start();
    const result = await client.callTool("gzip-file-as-resource", { data: url });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain(words);
  });

  test("refuses names that are paths", async () => {
    const client = await start();
    const result = await client.callTool("gzip-file-as-resource", { name: "../secret", data });
    expect(result.isError).toBe(true);
  });
});

describe("tools that take their time", () => {
  test("trigger-long-running-operation reports every step", async () => {
    const client = await start();
    const reports: Progress[] = [];
    const result = client.callTool(
      "trigger-long-running-operation",
      { duration: 0.05, steps: 3 },
      { onProgress: (report) => reports.push(report) },
    );
    expect(await textOf(result)).toBe("Long running operation completed. Duration: 0.05 seconds, Steps: 3.");
    expect(reports.map(({ progress, total }) => `${progress}/${total}`)).toEqual(["1/3", "2/3", "3/3"]);
  });

  test("trigger-long-running-operation stops when it is cancelled", async () => {
    const client = await start();
    const caller = new AbortController();
    const call = client.callTool(
      "trigger-long-running-operation",
      { duration: 600, steps: 1000 },
      { signal: caller.signal, onProgress: () => caller.abort() },
    );
    await expect(call).rejects.toMatchObject({ name: "AbortError" });
    expect(await textOf(client.callTool("echo", { message: "next" }))).toBe("Echo: next");
  });

  test("simulate-research-query goes by what the user means, in every revision that can ask", async () => {
    for (const revision of ["2025-06-18", "2025-11-25", "2026-07-28"] as const) {
      const client = await start({
        revision,
        elicitation: ({ message, requestedSchema }) => {
          expect(message).toContain("python");
          expect(requestedSchema.properties["interpretation"]).toMatchObject({
            enum: expect.arrayContaining(["snake"]),
          });
          return { action: "accept", content: { interpretation: "snake" } };
        },
      });
      const report = await textOf(client.callTool("simulate-research-query", { topic: "python", ambiguous: true }));
      expect(report).toContain("Understood as: snake");
    }
  });

  test("simulate-research-query does without an answer", async () => {
    const silent = await start();
    expect(await textOf(silent.callTool("simulate-research-query", { topic: "tea", ambiguous: true }))).toContain(
      "Understood as: technical (nobody could be asked)",
    );
    const shy = await start({ elicitation: () => ({ action: "decline" }) });
    expect(await textOf(shy.callTool("simulate-research-query", { topic: "tea", ambiguous: true }))).toContain(
      "Understood as: technical (the user did not say)",
    );
    expect(await textOf(silent.callTool("simulate-research-query", { topic: "tea" }))).not.toContain("Understood as");
  });
});
