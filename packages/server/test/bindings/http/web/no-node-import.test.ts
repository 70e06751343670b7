import { build } from "esbuild";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const entry = fileURLToPath(new URL("../../../../src/http-without-node.ts", import.meta.url));

test("nothing of Node can be reached from /http", async () => {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    // Knows no modules of Node, so that an import of one would fail.
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["@toolwire/source"],
    logLevel: "silent",
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports.map(({ path }) => path));
  expect(imports.length).toBeGreaterThan(10);
  expect(imports.filter((path) => path.startsWith("node:") || path === "ws" || path.includes("ajv"))).toEqual([]);
});
