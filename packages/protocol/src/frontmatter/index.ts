/**
 * The YAML at the beginning of a Markdown file. An entry point of its own, since it brings a parser of YAML along.
 *
 * @packageDocumentation
 */
export { readFrontmatter, type Frontmatter, type FrontmatterProblem } from "./read-frontmatter.ts";
export { findDifference } from "./find-difference.ts";
