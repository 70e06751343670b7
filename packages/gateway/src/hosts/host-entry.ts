/** An MCP server as the configuration file of an application has it: a program over stdio. */
interface CommandEntry {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
  readonly cwd?: string | undefined;
}

/** An MCP server as the configuration file of an application has it: an address. */
export interface UrlEntry {
  readonly name: string;
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
}

/**
 * An MCP server as applications know it. Texts may refer to variables: `${env:NAME}`, and to what the application asks
 * for: `${input:id}`. Readers and writers translate that from and to the spelling of each application.
 */
export type HostEntry = CommandEntry | UrlEntry;

/** Replaces the references of a text: `${env:NAME}` and `${input:id}`. */
export function replaceReferences(text: string, replace: (kind: "env" | "input", name: string) => string): string {
  return text.replaceAll(/\$\{(env|input):([A-Za-z_][\w.-]*)\}/g, (_, kind: "env" | "input", name: string) =>
    replace(kind, name),
  );
}
