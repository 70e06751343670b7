import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { buildViews } from "@toolwire/views/vite";

async function makeFiles(files: { readonly [name: string]: string }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "inline-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, "views"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, "views", name), text);
  return folder;
}

const PAGE = `<!doctype html><html><head><link rel="stylesheet" href="./look.css"></head>
<body><p></p><script type="module" src="./main.js"></script></body></html>`;

test("a view becomes one file, with its scripts, styles and images inside", async () => {
  const folder = await makeFiles({
    "one.html": PAGE,
    "two.html": PAGE.replace("main.js", "other.js"),
    "look.css": `p { color: light-dark(red, blue); background: url("./dot.svg") }`,
    "dot.svg": `<svg xmlns="http://www.w3.org/2000/svg"><circle r="${"1".repeat(9000)}"/></svg>`,
    "main.js": `import { text } from "./text.js"; import("./later.js"); document.querySelector("p").innerHTML = text + "$&</script><!--";`,
    "other.js": `document.title = "two";`,
    "text.js": `export const text = "hello";`,
    "later.js": `console.log("later");`,
  });
  const outDir = join(folder, "built");
  await buildViews({ views: ["one", "two"].map((name) => join(folder, "views", `${name}.html`)), outDir });
  expect((await readdir(outDir)).toSorted()).toEqual(["one.html", "two.html"]);
  const html = await readFile(join(outDir, "one.html"), "utf8");
  expect(html).toMatch(/^<!doctype html>/i);
  expect(html).not.toMatch(/\b(?:src|href)="(?!data:)/);
  expect(html).toContain("light-dark(");
  expect(html).toContain("data:image/svg");
  expect(html).toContain("hello");
  expect(html).toContain("later");
  // The text of a script cannot end its element.
  expect(html.match(/<\/script>/g)).toHaveLength(1);
  expect(html).toContain(String.raw`$&`);
  expect(await readFile(join(outDir, "two.html"), "utf8")).not.toContain("hello");
});

test("two views of one name are refused", async () => {
  await expect(buildViews({ views: ["a/chart.html", "b/chart.html"], outDir: "x" })).rejects.toThrow("chart.html");
});

test("a file that cannot be inlined fails the build, since a sandboxed view could not load it", async () => {
  const folder = await makeFiles({
    "one.html": PAGE.replace('<link rel="stylesheet" href="./look.css">', ""),
    "main.js": `console.log(new Worker(new URL("./worker.js", import.meta.url), { type: "module" }));`,
    "worker.js": `postMessage(1);`,
  });
  const views = [join(folder, "views", "one.html")];
  const outDir = join(folder, "built");
  await expect(buildViews({ views, outDir, vite: { logLevel: "silent" } })).rejects.toThrow("A view is one file");
});
