/** The severities of RFC 5424 by name, from the most talkative to the most severe. */
export const LOGGING_LEVELS = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;

/** How severe a log message is. */
export type LoggingLevel = (typeof LOGGING_LEVELS)[number];
