import { confirm, intro, isCancel, select, text } from "@clack/prompts";
import { existsSync } from "node:fs";
import { CommandFailure } from "../command.ts";

/** What a person wants to serve, and how. */
export interface Answers {
  readonly source: "openapi" | "url" | "command" | "example";
  /** The document, the address or the command line. */
  readonly what: string;
  readonly port: number;
  readonly needsKeys: boolean;
  readonly file: string;
}

/** The questions go to stderr, like everything else that is no result. */
const OUTPUT = { output: process.stderr };

/** Asks the three questions of `init`: what to serve, how, and where to write. */
export async function askForStart(file: string, replaces: boolean): Promise<Answers> {
  intro("A configuration for a Toolwire gateway", OUTPUT);
  const source = expectAnswer(
    await select<Answers["source"]>({
      ...OUTPUT,
      message: "What do you want to serve?",
      options: [
        { value: "example", label: "A tool as an example", hint: "the weather, to copy from" },
        { value: "openapi", label: "An HTTP API with an OpenAPI document", hint: "a URL or a file" },
        { value: "url", label: "An MCP server at a URL" },
        { value: "command", label: "An MCP server that is a command", hint: "such as npx -y some-server" },
      ],
    }),
  );
  const isFree = (value: string): string | undefined =>
    existsSync(value) && !replaces ? "This file is there already. Write another name." : undefined;
  const message = { openapi: "Where is the document?", url: "What is its URL?", command: "What is the command?" };
  const what = source === "example" ? "" : await askText(message[source]);
  const port = await askText("Which port, on this machine only?", "8080", (value) =>
    /^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? undefined : "Write a number from 0 to 65535.",
  );
  const needsKeys = expectAnswer(await confirm({ ...OUTPUT, message: "Do callers need a key?", initialValue: false }));
  return { source, what, port: Number(port), needsKeys, file: await askText("Which file?", file, isFree) };
}

async function askText(
  message: string,
  initialValue?: string,
  check: (value: string) => string | undefined = () => undefined,
): Promise<string> {
  const validate = (value = ""): string | undefined => (value.trim() === "" ? "Write something." : check(value.trim()));
  return expectAnswer(await text({ ...OUTPUT, message, validate, ...(initialValue && { initialValue }) })).trim();
}

function expectAnswer<T>(answer: T): Exclude<T, symbol> {
  if (isCancel(answer)) throw new CommandFailure("Nothing was written.");
  return answer as Exclude<T, symbol>;
}
