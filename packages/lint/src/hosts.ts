/**
 * Whose demands a finding is about: the APIs of models (`anthropic`, `openai`, `gemini`), the strict mode of one of them
 * (`openai-strict`), and applications with limits of their own.
 */
export type Host = "anthropic" | "openai" | "openai-strict" | "gemini" | "claude-code" | "cursor" | "vscode";

/** All hosts that rules know. */
export const HOSTS: readonly Host[] = [
  "anthropic",
  "openai",
  "openai-strict",
  "gemini",
  "claude-code",
  "cursor",
  "vscode",
];

/**
 * The hosts that are looked at unless you name others. Strict mode is not among them: applications turn it off for tools of MCP
 * servers, because next to none fits it.
 */
export const DEFAULT_HOSTS: readonly Host[] = HOSTS.filter((host) => host !== "openai-strict");
