/** The hints of a tool that only looks things up, and only inside of this server. */
export const READ_ONLY = { readOnlyHint: true, openWorldHint: false } as const;

/** The hints of a tool that changes something inside of this server, and can be undone by calling it again. */
export const TOGGLE = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
} as const;
