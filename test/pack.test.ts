import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listPublishedPackages, packPackage, root } from "../scripts/workspace.mjs";

const run = promisify(execFile);

/**
 * What a user gets: the packages as they would be published, installed by plain npm into a project that knows nothing
 * of this workspace.
 */
describe("the packed packages, installed outside the workspace", () => {
  const packages = listPublishedPackages();
  const specifiers = packages.flatMap(({ entryPoints }) => entryPoints.map(({ specifier }) => specifier));
  let project: string;

  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), "toolwire-pack-"));
    await writeFile(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
    const tarballs = packages.map(({ directory }) => packPackage(directory, project));
    await npm("install", "--no-audit", "--no-fund", "--prefer-offline", ...tarballs, "@types/node@20");
  }, 120_000);

  afterAll(() => rm(project, { recursive: true, force: true }));

  test.each(packages)("$name ships its code, declarations and sources, and nothing else", async ({ name }) => {
    const installed = join(project, "node_modules", name);
    expect((await readdir(installed)).toSorted()).toEqual(["LICENSE", "README.md", "dist", "package.json", "src"]);
    const files = await readdir(join(installed, "dist"), { recursive: true, withFileTypes: true });
    const odd = files.filter((file) => file.isFile() && !/\.(?:js|d\.ts)(?:\.map)?$/.test(file.name));
    expect(odd.map((file) => file.name)).toEqual([]);
  });

  test.each(packages)("$name depends on nothing that only this workspace can resolve", async ({ name }) => {
    const { dependencies } = await readManifest(join(project, "node_modules", name));
    expect(JSON.stringify(dependencies)).not.toMatch(/workspace:|catalog:|file:|link:/);
  });

  test("every entry point can be imported", async () => {
    const imports = specifiers.map((specifier) => `await import("${specifier}");`).join("\n");
    await writeFile(join(project, "import-all.js"), `${imports}\nconsole.log("imported");`);
    const { stdout } = await run("node", ["import-all.js"], { cwd: project });
    expect(stdout).toBe("imported\n");
  });

  test("every entry point leads to compiled code under any common condition", async () => {
    const list = JSON.stringify(specifiers);
    await writeFile(join(project, "resolve-all.js"), `for (const s of ${list}) console.log(import.meta.resolve(s));`);
    const { stdout } = await run("node", ["--conditions=source", "--conditions=development", "resolve-all.js"], {
      cwd: project,
    });
    const resolved = stdout.trim().split("\n");
    expect(resolved).toHaveLength(specifiers.length);
    for (const line of resolved) expect(line).toMatch(/^file:\S+\/@toolwire\/\S+\/dist\/\S+\.js$/);
  });

  test("the declarations compile under strict settings, library checks included", async () => {
    await writeTypeScript(
      "all-entry-points.ts",
      specifiers.map((specifier, index) => `export * as entry${index} from "${specifier}";`).join("\n"),
    );
    await expect(typecheck()).resolves.toBe("");
  });

  test("a typed client calls a server there, over stdio, HTTP and WebSocket", async () => {
    await writeTypeScript(
      "server.ts",
      `import { createServer, jsonSchema, tool } from "@toolwire/server";
      import { serveHttp } from "@toolwire/server/node";
      import { serveStdio } from "@toolwire/server/stdio";
      import { serveWebSocket } from "@toolwire/server/websocket";

      export const server = createServer({
        name: "packed",
        version: "1.0.0",
        tools: {
          add: tool({
            description: "Adds two numbers",
            input: jsonSchema<{ a: number; b: number }>({
              type: "object",
              properties: { a: { type: "number" }, b: { type: "number" } },
              required: ["a", "b"],
            }),
            output: jsonSchema<{ sum: number }>({ type: "object", properties: { sum: { type: "number" } }, required: ["sum"] }),
            run: ({ a, b }) => ({ sum: a + b }),
          }),
        },
      });

      const http = await serveHttp(server, { port: 0 });
      const socket = await serveWebSocket(server, { port: 0 });
      console.error(JSON.stringify([http.url, socket.url]));
      serveStdio(server);`,
    );
    await writeTypeScript(
      "client.ts",
      `import { connect } from "@toolwire/client";
      import type { server } from "./server.js";

      let hear!: (urls: string[]) => void;
      const heard = new Promise<string[]>((resolve) => (hear = resolve));
      const stdio = await connect<typeof server>({
        command: process.execPath,
        args: [new URL("server.js", import.meta.url).pathname],
        stderr: (text) => hear(JSON.parse(text) as string[]),
      });
      const [http, socket] = await Promise.all((await heard).map((url) => connect<typeof server>(url)));
      for (const client of [stdio, http!, socket!]) {
        const result = await client.callTool("add", { a: 40, b: 2 });
        if (!result.isError) console.log(client.revision, result.structuredContent.sum);
      }
      await Promise.all([http!.close(), socket!.close()]);
      await stdio.close();`,
    );
    await expect(typecheck()).resolves.toBe("");
    const { stdout } = await run("node", [join(project, "dist/client.js")]);
    expect(stdout).toBe("2026-07-28 42\n".repeat(3));
  });

  async function npm(...args: string[]): Promise<void> {
    await run("npm", args, { cwd: project, shell: process.platform === "win32" });
  }

  async function writeTypeScript(name: string, text: string): Promise<void> {
    await mkdir(join(project, "src"), { recursive: true });
    await writeFile(join(project, "src", name), text);
  }

  /** Returns the compiler's complaints about `src`, which it compiles to `dist`. */
  async function typecheck(): Promise<string> {
    const compilerOptions = {
      target: "es2023",
      module: "nodenext",
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      customConditions: ["source"],
      types: ["node"],
      rootDir: "src",
      outDir: "dist",
    };
    await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }));
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    return run("node", [compiler, "-p", project, "--pretty", "false"]).then(
      () => "",
      (error: { stdout: string }) => error.stdout,
    );
  }
});

async function readManifest(directory: string): Promise<{ dependencies?: object }> {
  return JSON.parse(await readFile(join(directory, "package.json"), "utf8")) as { dependencies?: object };
}
