/** The work of the compiler for a server with many tools. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pinCommand } from "../processes/pinning.ts";
import { divideByRound, type Summary, summarize } from "./statistics.ts";

/** One row of the type-checking table. */
export interface TypeChecking {
  readonly name: string;
  /** Seconds of the whole compilation. */
  readonly seconds: Summary;
  /** The same as a multiple of the schemas alone, taken within rounds. */
  readonly ratio: Summary;
  readonly instantiations: number;
  readonly types: number;
  /** Bytes. */
  readonly memory: number;
}

const TOOLS = 50;

// Inside the package, so that its dependencies are found.
const HERE = fileURLToPath(new URL("../..", import.meta.url));

const OPTIONS = {
  target: "es2023",
  module: "nodenext",
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  noEmit: true,
  types: ["node"],
};

/** Compiles programs that define the same tools, each several times. */
export function measureTypeChecking(rounds: number): TypeChecking[] {
  const folder = mkdtempSync(join(HERE, ".type-checking-"));
  try {
    const programs = Object.entries(writePrograms()).map(([name, source]) => {
      const project = join(folder, name);
      mkdirSync(project);
      writeFileSync(join(project, "program.ts"), source);
      writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions: OPTIONS, include: ["*.ts"] }));
      return { name, project, seconds: [] as number[], report: readDiagnostics("") };
    });
    for (let round = 0; round < rounds; round++) {
      for (const program of programs) {
        program.report = compile(program.project);
        program.seconds.push(program.report.seconds);
      }
    }
    const alone = programs[0]?.seconds ?? [];
    return programs.map(({ name, seconds, report }) => ({
      name,
      seconds: summarize(seconds),
      ratio: summarize(divideByRound(seconds, alone)),
      instantiations: report.instantiations,
      types: report.types,
      memory: report.memory,
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Report {
  readonly seconds: number;
  readonly instantiations: number;
  readonly types: number;
  readonly memory: number;
}

function compile(project: string): Report {
  const typescript = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
  const command = [process.execPath, join(typescript, "bin/tsc"), "-p", project, "--extendedDiagnostics"];
  const [program, ...rest] = pinCommand("measured", command);
  const { status, stdout } = spawnSync(program, rest, { encoding: "utf8" });
  if (status !== 0) throw new Error(`A program for the compiler does not compile:\n${stdout.slice(0, 2000)}`);
  return readDiagnostics(stdout);
}

/** Reads what `tsc --extendedDiagnostics` prints. */
export function readDiagnostics(output: string): Report {
  const read = (label: string): number => {
    const [, digits = "0", unit = ""] = new RegExp(`^${label}: *([\\d.]+)([a-zA-Z]*)`, "m").exec(output) ?? [];
    const factor = { K: 1024, M: 1024 ** 2, G: 1024 ** 3 }[unit.charAt(0).toUpperCase()] ?? 1;
    return Number(digits) * (unit === "s" ? 1 : factor);
  };
  return {
    seconds: read("Total time"),
    instantiations: read("Instantiations"),
    types: read("Types"),
    memory: read("Memory used"),
  };
}

function writePrograms(): Record<string, string> {
  const numbers = Array.from({ length: TOOLS }, (_, number) => number);
  const input = (n: number): string => `z.object({
    id: z.string().uuid(), city_${n}: z.string().min(1), limit: z.number().int().min(1).max(100).optional(),
    units: z.enum(["metric", "imperial"]).default("metric"), tags: z.array(z.string()),
    range: z.object({ from: z.number(), to: z.number() }).optional(),
  })`;
  const output = (n: number): string =>
    `z.object({ value_${n}: z.number(), label: z.string(), tags: z.array(z.string()) })`;
  const result = (n: number): string => `{ value_${n}: a.limit ?? 0, label: a.city_${n} + a.units, tags: a.tags }`;
  const zod = `import { z } from "zod";\n`;
  return {
    "zod alone": `${zod}${numbers
      .map(
        (n) => `const input${n} = ${input(n)}; const output${n} = ${output(n)};
          export const run${n} = async (a: z.infer<typeof input${n}>): Promise<z.infer<typeof output${n}>> => (${result(n)});`,
      )
      .join("\n")}`,
    toolwire: `${zod}import { createServer, tool } from "@toolwire/server";
      export const server = createServer({ name: "types", version: "1.0.0", tools: {
        ${numbers.map((n) => `tool_${n}: tool({ input: ${input(n)}, output: ${output(n)}, run: async (a) => (${result(n)}) }),`).join("\n")}
      } });`,
    "toolwire, and a typed client that calls every tool": `${zod}import { createServer, tool } from "@toolwire/server";
      import { connect } from "@toolwire/client";
      export const server = createServer({ name: "types", version: "1.0.0", tools: {
        ${numbers.map((n) => `tool_${n}: tool({ input: ${input(n)}, output: ${output(n)}, run: async (a) => (${result(n)}) }),`).join("\n")}
      } });
      const client = await connect<typeof server>("http://127.0.0.1:3000/mcp");
      ${numbers
        .map(
          (n) => `const result${n} = await client.callTool("tool_${n}", { id: "", city_${n}: "", tags: [] });
            export const value${n}: number | undefined = result${n}.structuredContent?.value_${n};`,
        )
        .join("\n")}`,
    v2: `${zod}import { McpServer } from "@modelcontextprotocol/server";
      export const server = new McpServer({ name: "types", version: "1.0.0" });
      ${registerTools(numbers, input, output, result)}`,
    v1: `${zod}import { McpServer } from "sdk-v1/server/mcp.js";
      export const server = new McpServer({ name: "types", version: "1.0.0" });
      ${registerTools(numbers, input, output, result)}`,
  };
}

type Text = (number: number) => string;

function registerTools(numbers: readonly number[], input: Text, output: Text, result: Text): string {
  return numbers
    .map(
      (n) => `server.registerTool("tool_${n}", { inputSchema: ${input(n)}, outputSchema: ${output(n)} }, async (a) => {
        const structuredContent = ${result(n)};
        return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
      });`,
    )
    .join("\n");
}
