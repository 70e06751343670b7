/** The version of this package, as its manifest has it: browsers cannot read that, so it stands here, too. */
export const VERSION = "0.0.0";
