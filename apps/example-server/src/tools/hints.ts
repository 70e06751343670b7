/** What a tool says about itself that only looks things up, and only inside of this server. */
export const READ_ONLY = { readOnlyHint: true, openWorldHint: false } as const;

/** What a tool says about itself that changes something inside of this server, and can be undone by calling it again. */
export const TOGGLE = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
} as const;
