import { ToolwireError } from "@toolwire/protocol";
import { brandError } from "@toolwire/protocol/internal";

/** The codes of {@link SkillError}. */
export type SkillErrorCode =
  /** What the server lists is no skill: a field is missing, or a file is not in the folder of the skill. */
  | "INVALID_SKILL"
  /** The skill, or what was read of it, is larger than the client takes. */
  | "TOO_LARGE"
  /** The skill has no digests, and the option `dynamic` does not allow that. */
  | "UNVERIFIABLE"
  /** The file is not one of those that the skill had when it was listed. */
  | "UNLISTED_FILE"
  /** The file does not have the size that the skill says. */
  | "SIZE_MISMATCH"
  /** The file does not have the digest that the skill says. */
  | "DIGEST_MISMATCH"
  /** The front matter of `SKILL.md` is not what the server has listed. */
  | "FRONTMATTER_MISMATCH"
  /** The server sent something else than the file that was asked for. */
  | "INVALID_CONTENTS";

/**
 * A skill, or a file of it, must not be used. After a mismatch, it may have been changed since it was listed: `skill.refresh()` gets it as
 * it is now, and whoever has approved it has to be asked again.
 */
export class SkillError extends ToolwireError {
  static {
    brandError(this, "SkillError");
  }

  override readonly name: string = "SkillError";
  readonly code: SkillErrorCode;
  /** The URI of the skill or of the file. Untrusted. */
  readonly uri: string;

  constructor(code: SkillErrorCode, uri: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.uri = uri;
  }
}
