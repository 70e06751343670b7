import type { FixedSkill } from "../skills/skill.ts";

/** How the skills of a folder have changed. */
export interface SkillsFolderChange {
  /** The paths of all files that came, went, or have other contents, such as `pdf/SKILL.md`. */
  readonly files: readonly string[];
}

/**
 * The skills as they are now, with those that have not changed as they were: their digests are computed already. `change` is `undefined`
 * if none has changed.
 */
export function findChanges(
  before: readonly FixedSkill[],
  now: readonly FixedSkill[],
): { readonly skills: readonly FixedSkill[]; readonly change: SkillsFolderChange | undefined } {
  const known = new Map(before.map((skill) => [skill.path, skill]));
  const files: string[] = [];
  const skills = now.map((skill) => {
    const old = known.get(skill.path);
    known.delete(skill.path);
    const changed = compare(old, skill);
    files.push(...changed.map((file) => `${skill.path}/${file}`));
    return old === undefined || changed.length > 0 ? skill : old;
  });
  for (const gone of known.values()) files.push(...compare(gone, undefined).map((file) => `${gone.path}/${file}`));
  return { skills, change: files.length === 0 ? undefined : { files: files.toSorted() } };
}

/** The files that only one of two versions of a skill has, or that differ. */
function compare(old: FixedSkill | undefined, now: FixedSkill | undefined): string[] {
  const names = new Set([...(old?.files.keys() ?? []), ...(now?.files.keys() ?? [])]);
  return [...names].filter((name) => {
    const [before, after] = [old?.files.get(name), now?.files.get(name)];
    return before === undefined || after === undefined || !before.equals(after);
  });
}
