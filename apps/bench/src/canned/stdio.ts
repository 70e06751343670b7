/** Entry point of the canned server over pipes: `stdio.js BYTES`. */
import { answerOther, callResponse, findCallId } from "./answers.ts";

const NEWLINE = 0x0a;
const [before, after] = callResponse(Number(process.argv[2]));
let pending: Buffer | undefined;

process.stdin.on("data", (received: Buffer) => {
  const bytes = pending === undefined ? received : Buffer.concat([pending, received]);
  let answers = "";
  let at = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, at)) {
    answers += answerLine(bytes.subarray(at, end));
    at = end + 1;
  }
  pending = at < bytes.length ? bytes.subarray(at) : undefined;
  if (answers !== "") process.stdout.write(answers);
});

function answerLine(line: Buffer): string {
  const id = findCallId(line);
  if (id !== undefined) return `${before}${id}${after}\n`;
  const response = answerOther(JSON.parse(line.toString()) as object);
  return response === undefined ? "" : `${JSON.stringify(response)}\n`;
}
