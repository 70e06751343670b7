/** Operations of a client, whatever SDK it is built on. Methods are absent if the library has no counterpart. */
export interface Driver {
  listTools(): Promise<string[]>;
  /** The URIs of resources. */
  listResources?(): Promise<string[]>;
  listPrompts?(): Promise<string[]>;
  callTool(name: string, args: { readonly [name: string]: unknown }, options?: CallOptions): Promise<ToolAnswer>;
  /** The text of a resource. */
  readResource?(uri: string): Promise<string>;
  /** The text of a prompt. */
  getPrompt?(name: string, args: { readonly [name: string]: string }): Promise<string>;
  /** Whether it can answer a server that asks the user. */
  readonly canAnswer: boolean;
  close(): Promise<void>;
}

/** Options of a call. */
interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: () => void;
}

/** The result of a tool. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
  /** Its `structuredContent`. */
  readonly structured?: unknown;
}

/** Puts the texts of content blocks together. All SDKs give them in the shape that they have on the wire. */
export function textOf(content: unknown): string {
  return [content]
    .flat()
    .map((block) => (block as { readonly text?: unknown } | undefined)?.text)
    .filter((text) => typeof text === "string")
    .join("\n");
}

/** Reads the result of a tool as it has been on the wire. */
export function readAnswer(result: unknown): ToolAnswer {
  const { content, isError, structuredContent } = result as { readonly [field: string]: unknown };
  return { text: textOf(content), isError: isError === true, structured: structuredContent };
}

/** Reads the messages of a prompt as they have been on the wire. */
export function readMessages(result: unknown): string {
  const { messages } = result as { readonly messages: readonly { readonly content: unknown }[] };
  return messages.map(({ content }) => textOf(content)).join("\n");
}
