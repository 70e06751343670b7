/** An application that uses MCP servers, and keeps them in a file of JSON. */
export type HostId = "claude-desktop" | "claude-code" | "cursor" | "vscode" | "windsurf";

/** What differs between the files of applications. */
export interface Host {
  readonly id: HostId;
  /** Its name, to show to people. */
  readonly title: string;
  /** The member of the file that has the servers. */
  readonly member: "mcpServers" | "servers";
  /** The file in the folder of a project, if there is one. */
  readonly projectFile?: string | undefined;
  /** The file of the user, by system. `~` is the home folder, `%APPDATA%` that variable. */
  readonly userFile: { readonly linux: string; readonly macos: string; readonly windows: string };
  /** How an address is written: as `url`, as `serverUrl`, or not at all, because the application starts programs only. */
  readonly address: "url" | "serverUrl" | "none";
  /** Whether an entry names its transport in `type`. */
  readonly namesType: boolean;
  /** How it refers to variables of the environment: `${env:NAME}`, `${NAME}`, by asking for them, or not at all. */
  readonly variables: "env" | "plain" | "input" | "none";
}

/** All applications whose files are known, in the order in which they are offered. */
export const HOSTS: readonly Host[] = [
  {
    id: "claude-desktop",
    title: "Claude Desktop",
    member: "mcpServers",
    userFile: {
      linux: "~/.config/Claude/claude_desktop_config.json",
      macos: "~/Library/Application Support/Claude/claude_desktop_config.json",
      windows: "%APPDATA%/Claude/claude_desktop_config.json",
    },
    address: "none",
    namesType: false,
    variables: "none",
  },
  {
    id: "claude-code",
    title: "Claude Code",
    member: "mcpServers",
    projectFile: ".mcp.json",
    userFile: { linux: "~/.claude.json", macos: "~/.claude.json", windows: "~/.claude.json" },
    address: "url",
    namesType: true,
    variables: "plain",
  },
  {
    id: "cursor",
    title: "Cursor",
    member: "mcpServers",
    projectFile: ".cursor/mcp.json",
    userFile: { linux: "~/.cursor/mcp.json", macos: "~/.cursor/mcp.json", windows: "~/.cursor/mcp.json" },
    address: "url",
    namesType: false,
    variables: "env",
  },
  {
    id: "vscode",
    title: "VS Code",
    member: "servers",
    projectFile: ".vscode/mcp.json",
    userFile: {
      linux: "~/.config/Code/User/mcp.json",
      macos: "~/Library/Application Support/Code/User/mcp.json",
      windows: "%APPDATA%/Code/User/mcp.json",
    },
    address: "url",
    namesType: true,
    variables: "input",
  },
  {
    id: "windsurf",
    title: "Windsurf",
    member: "mcpServers",
    userFile: {
      linux: "~/.codeium/windsurf/mcp_config.json",
      macos: "~/.codeium/windsurf/mcp_config.json",
      windows: "~/.codeium/windsurf/mcp_config.json",
    },
    address: "serverUrl",
    namesType: false,
    variables: "env",
  },
];

/** Finds an application by its id. */
export function findHost(id: string): Host | undefined {
  return HOSTS.find((host) => host.id === id);
}
