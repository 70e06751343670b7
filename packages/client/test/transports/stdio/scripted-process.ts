import type { SpawnOptions } from "@toolwire/client/stdio";

/**
 * A server of a few lines that runs as a process of its own: `answer(request, lines)` makes the result of each request,
 * `undefined` for none, and `lines` is all it has read.
 */
export function scriptedProcess(answer: string, extra = ""): SpawnOptions {
  const script = `
    const lines = [];
    let rest = "";
    process.stdin.setEncoding("utf8").on("data", (text) => {
      const parts = (rest + text).split("\\n");
      rest = parts.pop();
      for (const line of parts) {
        lines.push(line);
        const request = JSON.parse(line);
        if (request.id === undefined) continue;
        const result = (${answer})(request, lines);
        if (result !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: request.id, result }) + "\\n");
      }
    });
    ${extra}
  `;
  return { command: process.execPath, args: ["-e", script], stderr: "ignore" };
}
