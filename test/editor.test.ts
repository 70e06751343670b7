import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type TypeScript from "typescript-5.9";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../scripts/workspace.mjs";

/** A program in the middle of being written. An editor shows help where the marks are. */
const PROGRAM = `
import { connect, type Client } from "@toolwire/client";
import { createServer, prompt, tool } from "@toolwire/server";
import { z } from "zod";
const server = createServer({
  name: "weather",
  version: "1.0.0",
  tools: {
    weather: tool({ input: z.object({ city: z.string() }), output: z.object({ degrees: z.number() }), run: () => ({ degrees: 1 }) }),
    now: tool({ run: () => "noon" }),
  },
  prompts: { plan: prompt({ arguments: { city: { required: true } }, get: () => "" }) },
});
const typed = await connect<typeof server>("http://127.0.0.1/mcp");
const untyped: Client = typed;
untyped.callTool(/*any*/);
typed.callTool(/*name*/);
typed.callTool("weather", /*arguments*/);
typed.callTool("weather", { city: "Oslo" }, /*options*/);
typed.callTool("now", /*none*/);
typed.getPrompt("plan", /*prompt*/);
`;

/** The signature that an editor shows at each mark. Editors write optional types with or without \`undefined\`. */
const SIGNATURES: { readonly [mark: string]: RegExp } = {
  any: /^callTool\(name: string, args\?: \{ readonly \[argument: string\]: unknown; \}(?: \| undefined)?, options\?: RequestOptions(?: \| undefined)?\): /,
  name: /^callTool\(name: "(?:weather" \| "now|now" \| "weather)", args\?: .*, options\?: RequestOptions(?: \| undefined)?\): /,
  arguments: /^callTool\(name: "weather", args: \{ city: string; \}, options\?: RequestOptions(?: \| undefined)?\): /,
  options: /^callTool\(name: "weather", args: \{ city: string; \}, options\?: RequestOptions(?: \| undefined)?\): /,
  none: /^callTool\(name: "now", args\?: .*, options\?: RequestOptions(?: \| undefined)?\): /,
  prompt:
    /^getPrompt\(name: "plan", args: \{ readonly city: string; \}, options\?: RequestOptions(?: \| undefined)?\): /,
};

let directory: string;
let file: string;

beforeAll(async () => {
  directory = await mkdtemp(join(root, "test/.toolwire-"));
  file = join(directory, "program.ts");
  await writeFile(file, PROGRAM);
  const settings = { extends: join(root, "tsconfig.test.json"), include: ["*.ts"] };
  await writeFile(join(directory, "tsconfig.json"), JSON.stringify(settings));
});

afterAll(() => rm(directory, { recursive: true, force: true }));

/** Shows the signature of the call at a position of the program. */
interface Editor {
  showSignature(position: number): Promise<string>;
  close(): void;
}

/** TypeScript 7 is a language server; older versions are a library. */
const EDITORS: { readonly [compiler: string]: () => Promise<Editor> } = {
  typescript: startLanguageServer,
  "typescript-6.0": async () => loadLanguageService("typescript-6.0"),
  "typescript-5.9": async () => loadLanguageService("typescript-5.9"),
};

describe.each(Object.entries(EDITORS))("an editor with %s", (_, open) => {
  let editor: Editor;
  beforeAll(async () => {
    editor = await open();
  }, 60_000);
  afterAll(() => editor.close());

  test.each(Object.entries(SIGNATURES))(
    "reads a call as (name, args, options), at the mark %s",
    async (mark, signature) => {
      expect(await editor.showSignature(PROGRAM.indexOf(`/*${mark}*/`))).toMatch(signature);
    },
    60_000,
  );
});

function loadLanguageService(compiler: "typescript-6.0" | "typescript-5.9"): Editor {
  const ts = createRequire(import.meta.url)(compiler) as typeof TypeScript;
  const settings = ts.readConfigFile(join(directory, "tsconfig.json"), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(settings.config, ts.sys, directory);
  const service = ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot(path) {
      const text = ts.sys.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => directory,
    getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
  });
  return {
    async showSignature(position) {
      const help = service.getSignatureHelpItems(file, position, {});
      const shown = help?.items[help.selectedItemIndex];
      if (shown === undefined) return "";
      const parameters = shown.parameters.map(({ displayParts }) => ts.displayPartsToString(displayParts));
      const [before, after] = [shown.prefixDisplayParts, shown.suffixDisplayParts].map((parts) =>
        ts.displayPartsToString(parts),
      );
      return `${before}${parameters.join(", ")}${after}`;
    },
    close: () => service.dispose(),
  };
}

async function startLanguageServer(): Promise<Editor> {
  const server = spawn(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--lsp", "--stdio"], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const { ask, tell } = speakTo(server);
  await ask("initialize", { processId: process.pid, rootUri: pathToFileURL(root).href, capabilities: {} });
  tell("initialized", {});
  const uri = pathToFileURL(file).href;
  tell("textDocument/didOpen", { textDocument: { uri, languageId: "typescript", version: 1, text: PROGRAM } });
  return {
    async showSignature(position) {
      const lines = PROGRAM.slice(0, position).split("\n");
      const place = { line: lines.length - 1, character: lines.at(-1)?.length };
      const help = (await ask("textDocument/signatureHelp", { textDocument: { uri }, position: place })) as {
        readonly signatures: readonly { readonly label: string }[];
        readonly activeSignature?: number;
      } | null;
      return help?.signatures[help.activeSignature ?? 0]?.label ?? "";
    },
    close: () => server.kill(),
  };
}

/** Speaks JSON-RPC with a language server: a header with the length, then the message. */
function speakTo({ stdin, stdout }: ChildProcess): {
  ask: (method: string, params: object) => Promise<unknown>;
  tell: (method: string, params: object) => void;
} {
  const waiting = new Map<number, (result: unknown) => void>();
  let asked = 0;
  let unread = Buffer.alloc(0);
  stdout!.on("data", (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    for (;;) {
      const start = unread.indexOf("\r\n\r\n") + 4;
      const length = Number(/^Content-Length: (\d+)/i.exec(unread.toString("latin1"))?.[1]);
      if (start < 4 || !(unread.length >= start + length)) return;
      const message = JSON.parse(unread.toString("utf8", start, start + length)) as { id?: number; result?: unknown };
      unread = unread.subarray(start + length);
      if (message.id !== undefined && !("method" in message)) waiting.get(message.id)?.(message.result);
      // The server waits until its own requests, such as those for the settings of the editor, are answered.
      else if (message.id !== undefined) send({ id: message.id, result: null });
    }
  });
  const send = (message: object): void => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    stdin!.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  };
  return {
    ask: (method, params) =>
      new Promise((resolve) => {
        waiting.set(++asked, resolve);
        send({ id: asked, method, params });
      }),
    tell: (method, params) => send({ method, params }),
  };
}
