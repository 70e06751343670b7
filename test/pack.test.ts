import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listPublishedPackages, packPackage, root } from "../scripts/workspace.mjs";

const run = promisify(execFile);

/** Compilers that users may have besides that of this workspace, the oldest first. */
const COMPILERS: readonly string[] = ["typescript-5.5", "typescript-5.9", "typescript-6.0"];

/**
 * The packages as they would be published, installed by plain npm into a project that knows nothing of this workspace.
 */
describe("the packed packages, installed outside the workspace", () => {
  const packages = listPublishedPackages();
  const specifiers = packages.flatMap(({ entryPoints }) => entryPoints.map(({ specifier }) => specifier));
  let project: string;

  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), "toolwire-pack-"));
    await writeFile(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
    const tarballs = packages.map(({ directory }) => packPackage(directory, project));
    await npm(
      "install",
      "--no-audit",
      "--no-fund",
      "--prefer-offline",
      ...tarballs,
      "@types/node@20",
      // Peers that only one entry point needs.
      "@opentelemetry/api@1.9",
      "@opentelemetry/exporter-prometheus@0.223",
      "@opentelemetry/sdk-metrics@2",
      "ajv@8",
      "vite@8",
      "zod@4",
    );
  }, 120_000);

  afterAll(() => rm(project, { recursive: true, force: true }));

  test.each(packages)("$name ships its code, declarations and sources, and nothing else", async ({ name }) => {
    const installed = join(project, "node_modules", name);
    // The gateway also publishes the JSON Schema of its configuration, and its page.
    const shipped = (await readdir(installed)).filter((file) => !file.endsWith(".schema.json"));
    expect(shipped.toSorted()).toEqual(["LICENSE", "README.md", "dist", "package.json", "src"]);
    const files = await readdir(join(installed, "dist"), { recursive: true, withFileTypes: true });
    const code = files.filter((file) => file.isFile() && !file.parentPath.includes(join("dist", "ui")));
    expect(code.map((file) => file.name).filter((file) => !/\.(?:js|d\.ts)(?:\.map)?$/.test(file))).toEqual([]);
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
    await writeTypeScript("all-entry-points.ts", exportEverything(specifiers));
    await expect(typecheck()).resolves.toBe("");
  });

  test("a typed client calls a server there, over stdio, HTTP and WebSocket", async () => {
    await writeTypeScript(
      "server.ts",
      `import { createServer, jsonSchema, tool } from "@toolwire/server";
      import { serveHttp } from "@toolwire/server/http";
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

  test("values made of them can be exported where only direct dependencies can be imported, as with pnpm", async () => {
    const strict = join(project, "strict");
    const store = join(strict, "node_modules/.store");
    await cp(join(project, "node_modules"), join(store, "node_modules"), { recursive: true });
    for (const dependency of ["@toolwire/client", "@toolwire/server", "@types/node"]) {
      await mkdir(join(strict, "node_modules", dirname(dependency)), { recursive: true });
      await symlink(join(store, "node_modules", dependency), join(strict, "node_modules", dependency), "junction");
    }
    await writeTypeScript(
      "exported.ts",
      `import { connect, formDefaults, type Channel } from "@toolwire/client";
      import { audio, createServer, embeddedResource, image, jsonSchema, prompt, reply, resource, resourceLink, text, tool } from "@toolwire/server";
      import type { Context, RequestCall } from "@toolwire/server";

      export const add = tool({
        input: jsonSchema<{ a: number }>({ type: "object" }),
        output: jsonSchema<{ sum: number }>({ type: "object" }),
        run: ({ a }) => ({ sum: a }),
      });
      export const server = createServer({
        name: "exported",
        version: "1.0.0",
        tools: { add },
        resources: { note: resource({ template: "notes://{id}", read: ({ id }) => id }) },
        prompts: { plan: prompt({ arguments: { city: { required: true } }, get: ({ city }) => city }) },
      });
      export const { tools, resources, prompts } = server;
      export const blocks = [text("a"), image("", "image/png"), audio("", "audio/wav")] as const;
      export const more = [resourceLink({ uri: "a:b", name: "b" }), embeddedResource({ uri: "a:b", text: "" })] as const;
      export const answer = reply({ content: "a", structured: { sum: 1 } });
      export const inspect = ({ _meta, requestId, era, revision, clientInfo, clientCapabilities }: Context) => ({
        _meta, requestId, era, revision, clientInfo, clientCapabilities,
      });
      export const ask = ({ context }: RequestCall) => context.sample("say", { messages: [], maxTokens: 1 });
      export const sampled = async (call: RequestCall) => (await ask(call)).content;

      export const client = await connect<typeof server>("http://127.0.0.1/mcp");
      export const untyped = await connect("http://127.0.0.1/mcp");
      export const called = await client.callTool("add", { a: 1 });
      export const texts = called.content.filter((block) => block.type === "text");
      export const { contents } = await client.readResource("notes://1");
      export const { messages } = await client.getPrompt("plan", { city: "Oslo" });
      export const [listed] = (await client.listTools()).tools;
      export const schema = listed?.outputSchema;
      export const hints = listed?.annotations;
      export const icons = client.server?.icons;
      export const values = formDefaults;
      export const open: Channel["open"] = async () => {};
      export const parametersOf = (...[receiver]: Parameters<Channel["open"]>) => receiver;`,
      strict,
    );
    await expect(typecheck(strict, { declaration: true })).resolves.toBe("");
  });

  describe.each(COMPILERS)("with %s", (compiler) => {
    test("server and client compile under strict settings, library checks included", async () => {
      const folder = join(project, compiler);
      await writeTypeScript("all-entry-points.ts", exportEverything(specifiers), folder);
      await writeTypeScript(
        "program.ts",
        `import { connect } from "@toolwire/client";
        import { createServer, prompt, resource, tool, type ServerMiddleware } from "@toolwire/server";
        import { serveHttp } from "@toolwire/server/http";
        import { z } from "zod";

        const log: ServerMiddleware = async (call, next) => {
          console.error(call.method);
          return next();
        };
        export const server = createServer({
          name: "weather",
          version: "1.0.0",
          middleware: [log],
          tools: {
            weather: tool({
              input: z.object({ city: z.string(), days: z.number().default(1) }),
              output: z.object({ degrees: z.number() }),
              run: ({ city, days }) => ({ degrees: city.length + days }),
            }),
            // @ts-expect-error -- data needs an output
            data: tool({ run: () => ({ degrees: 1 }) }),
          },
          prompts: {
            plan: prompt({ arguments: { city: { required: true }, mood: {} }, get: ({ city, mood }) => city + (mood ?? "") }),
            pack: prompt({ arguments: z.object({ city: z.string() }), get: ({ city }) => city }),
          },
          resources: { note: resource({ template: "notes://{id}{?page}", read: ({ id, page }) => id + (page ?? "") }) },
        });
        await using served = await serveHttp(server, { port: 0 });
        const client = await connect<typeof server>(served.url);
        const result = await client.callTool("weather", { city: "Oslo" });
        export const degrees: number | undefined = result.structuredContent?.degrees;
        // @ts-expect-error -- a city is text
        await client.callTool("weather", { city: 5 });
        // @ts-expect-error -- there is no such prompt
        await client.getPrompt("plane", { city: "Oslo" });
        await client.close();`,
        folder,
      );
      await expect(typecheck(folder, {}, compiler)).resolves.toBe("");
    }, 120_000);
  });

  describe("in a CommonJS project", () => {
    let folder: string;

    beforeAll(async () => {
      folder = join(project, "commonjs");
      await mkdir(folder);
      await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "commonjs" }));
    });

    test("`require` loads every entry point", async () => {
      const calls = specifiers.map((specifier) => `require("${specifier}");`).join("\n");
      await writeFile(join(folder, "require-all.js"), `${calls}\nconsole.log("required");`);
      const { stdout } = await run("node", ["require-all.js"], { cwd: folder });
      expect(stdout).toBe("required\n");
    });

    test.each(["typescript-5.9", "typescript"])(
      "the output of %s runs",
      async (compiler) => {
        await writeTypeScript(
          "main.ts",
          `import { connect, createMemoryChannels } from "@toolwire/client";
        import { createServer, tool } from "@toolwire/server";
        import { serveChannel } from "@toolwire/server/channel";

        async function main(): Promise<void> {
          const server = createServer({ name: "old", version: "1.0.0", tools: { greet: tool({ run: () => "Hello" }) } });
          const [near, far] = createMemoryChannels();
          serveChannel(server, far);
          const client = await connect<typeof server>(near);
          const { content } = await client.callTool("greet");
          console.log(__filename.endsWith("main.js"), JSON.stringify(content));
          await client.close();
        }
        void main();`,
          folder,
        );
        await expect(typecheck(folder, { skipLibCheck: true }, compiler)).resolves.toBe("");
        const { stdout } = await run("node", [join(folder, "dist/main.js")]);
        expect(stdout).toBe('true [{"type":"text","text":"Hello"}]\n');
      },
      120_000,
    );
  });

  async function npm(...args: string[]): Promise<void> {
    await run("npm", args, { cwd: project, shell: process.platform === "win32" });
  }

  async function writeTypeScript(name: string, text: string, folder = project): Promise<void> {
    await mkdir(join(folder, "src"), { recursive: true });
    await writeFile(join(folder, "src", name), text);
  }

  /** Returns the compiler's complaints about `src`, which it compiles to `dist`. */
  async function typecheck(folder = project, settings: object = {}, compiler = "typescript"): Promise<string> {
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
      ...settings,
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }));
    const program = join(root, "node_modules", compiler, "bin/tsc");
    return run("node", [program, "-p", folder, "--pretty", "false"]).then(
      () => "",
      (error: { stdout: string }) => error.stdout,
    );
  }
});

function exportEverything(specifiers: readonly string[]): string {
  return specifiers.map((specifier, index) => `export * as entry${index} from "${specifier}";`).join("\n");
}

test("every README names the oldest compiler that is tested", async () => {
  const [oldest = ""] = COMPILERS;
  const readmes = [
    "README.md",
    "packages/json-schema/README.md",
    "packages/protocol/README.md",
    "packages/server/README.md",
    "packages/client/README.md",
    "packages/openapi/README.md",
    "packages/gateway/README.md",
  ];
  for (const readme of readmes) {
    await expect(readFile(join(root, readme), "utf8")).resolves.toContain(
      `TypeScript ${oldest.slice("typescript-".length)}`,
    );
  }
});

async function readManifest(directory: string): Promise<{ dependencies?: object }> {
  return JSON.parse(await readFile(join(directory, "package.json"), "utf8")) as { dependencies?: object };
}
