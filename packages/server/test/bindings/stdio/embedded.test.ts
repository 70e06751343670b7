import { createServer, tool, type ServerDiagnostic, type Server } from "@toolwire/server";
import { serveStdio } from "@toolwire/server/stdio";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { textOf, toolCall } from "../../raw-peer.ts";

function define(diagnostics: ServerDiagnostic[] = []): Server {
  return createServer({
    name: "embedded",
    version: "1.0.0",
    onDiagnostic: (event) => diagnostics.push(event),
    tools: {
      greet: tool({ description: "Says hello", run: () => "hello" }),
      write: tool({ description: "Needs a scope", scopes: ["files:write"], run: () => "written" }),
    },
  });
}

const CALL = `${JSON.stringify(toolCall(1, "greet"))}\n`;

describe("on streams other than the process's own", () => {
  it("serves, and neither ends the process nor touches stdout", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const listeners = process.listenerCount("SIGTERM");
    const serving = serveStdio(define(), { input, output });
    expect(Object.hasOwn(process.stdout, "write")).toBe(false);
    expect(process.listenerCount("SIGTERM")).toBe(listeners);
    input.write(CALL);
    const [answer] = (await once(output, "data")) as [Buffer];
    expect(textOf(JSON.parse(answer.toString()) as object)).toBe("hello");
    input.end();
    await serving.closed;
    expect(output.writableFinished).toBe(true);
  });

  it("lets the program that started it use what needs scopes", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const serving = serveStdio(define(), { input, output });
    input.write(`${JSON.stringify(toolCall(1, "write"))}\n`);
    const [answer] = (await once(output, "data")) as [Buffer];
    expect(textOf(JSON.parse(answer.toString()) as object)).toBe("written");
    await serving.close();
  });

  it("ends when it is closed, once, and cleans up", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    let cleanups = 0;
    const serving = serveStdio(define(), { input, output, onClose: () => void (cleanups += 1) });
    await Promise.all([serving.close(), serving.close(), serving.closed]);
    expect(cleanups).toBe(1);
    expect(output.writableFinished).toBe(true);
  });

  it("ends although the cleaning up fails, and says so", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const diagnostics: ServerDiagnostic[] = [];
    const onClose = (): Promise<void> => Promise.reject(new Error("no luck"));
    await serveStdio(define(diagnostics), { input, output, onClose }).close();
    expect(diagnostics).toContainEqual(expect.objectContaining({ level: "error", error: expect.any(Error) }));
  });

  it("ends although the client does not read the last answers", async () => {
    const input = new PassThrough();
    const output = new PassThrough({ highWaterMark: 1 });
    const serving = serveStdio(define(), { input, output, closeTimeout: 10 });
    input.end(CALL.repeat(3));
    await serving.closed;
    expect(output.readableLength).toBeGreaterThan(0);
  });
});
