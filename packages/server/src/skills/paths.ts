import { UsageError } from "@toolwire/protocol";
import { SKILL_FILE } from "@toolwire/protocol/skills";

/** The most characters of a path, so that URIs stay short enough to be matched. */
const MAX_LENGTH = 1024;

/** Checks the path of a skill or of one of its files: names with slashes between them. Returns it. */
export function expectPath(what: string, path: unknown): string {
  const isFine =
    typeof path === "string" &&
    path.length <= MAX_LENGTH &&
    !/\p{Surrogate}|\0|\\/u.test(path) &&
    path.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..");
  if (isFine) return path;
  throw new UsageError(
    "INVALID_DEFINITION",
    `${what} must be a relative path such as "references/FORMS.md", with at most ${MAX_LENGTH} characters, without "..", empty names ` +
      `and backslashes; got ${JSON.stringify(path)?.slice(0, 200)}.`,
  );
}

/** Where the skills of a server are, as far as URIs say. */
export interface SkillRoot {
  /** What all URIs begin with: `skill://`, or `github://owner/repo/` with the slash. */
  readonly prefix: string;
}

/** `scheme://`, or `scheme://authority/path` without a slash at its end. */
const ROOT =
  /^[a-z][a-z\d+.-]*:\/\/(?:(?:[\w.~!$&'()*+,;=@:-]|%[\da-f]{2})+(?:\/(?:[\w.~!$&'()*+,;=@:-]|%[\da-f]{2})+)*)?$/i;

/** Reads the option `root`. */
export function readRoot(root: string = "skill://"): SkillRoot {
  if (typeof root !== "string" || !ROOT.test(root)) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      `\`root\` must be a scheme such as "skill://", or a URI such as "github://owner/repo" without a slash at its end; got ${JSON.stringify(root)}.`,
    );
  }
  return { prefix: root.endsWith("://") ? root : `${root}/` };
}

/** The URI of a path. Each name is encoded as a whole, so the first one is no port and no user. */
export function uriOf({ prefix }: SkillRoot, path: string): string {
  return prefix + path.split("/").map(encodeURIComponent).join("/");
}

/**
 * The URI of a file by its path among the skills of a server, such as `pdf/SKILL.md`: for `server.resources.updated`. `root` is that
 * option of `skills`.
 */
export function skillUri(path: string, root?: string): string {
  return uriOf(readRoot(root), expectPath("`path`", path));
}

/** The path of a URI; `undefined` if it is of another kind, or written in another way than {@link uriOf} writes it. */
export function readUri(root: SkillRoot, uri: string): string | undefined {
  if (!uri.startsWith(root.prefix)) return undefined;
  try {
    const path = decodeURIComponent(uri.slice(root.prefix.length));
    return uriOf(root, path) === uri ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a path leads into a folder, however deep. */
export function isBelow(path: string, folder: string): boolean {
  return path.length > folder.length && path.startsWith(folder) && path[folder.length] === "/";
}

/** The last name of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The path of the `SKILL.md` of a skill. */
export function skillFileOf(path: string): string {
  return `${path}/${SKILL_FILE}`;
}
