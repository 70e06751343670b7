/** Where facts come from that several rules rely on. */
export const SOURCES = {
  /** What strict mode takes, and its limits, as OpenAI documents them. */
  openaiStrict: "https://platform.openai.com/docs/guides/structured-outputs#supported-schemas",
  openaiSubset: "https://jsonschemaprofiles.unitvectorylabs.com/schemas/openai",
  /** The members that a schema of Gemini's API can have. */
  geminiSchema: "https://ai.google.dev/api/caching#Schema",
  geminiDeclaration: "https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/FunctionDeclaration",
  anthropicRoot: "https://github.com/anthropics/claude-code/issues/40075",
  anthropicReferences: "https://platform.claude.com/docs/en/managed-agents/self-hosted-sandboxes",
  openaiRoot: "https://github.com/langchain-ai/langchainjs/issues/9804",
  geminiWorkspace: "https://github.com/taylorwilsdon/google_workspace_mcp/issues/1099",
  toolsPage: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools",
  poisoning: "https://invariantlabs.ai/blog/mcp-security-notification-tool-poisoning-attacks",
} as const;
