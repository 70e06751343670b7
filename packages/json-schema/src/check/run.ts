import { type IssueKind, type Place, type SchemaIssue, step, writePlace } from "../issues/issue.ts";
import type { StepBudget } from "../patterns/step-budget.ts";
import type { SchemaNode } from "../read/schema-node.ts";

/**
 * Thrown when a value is nested deeper than it can be followed. It never leaves this package: validators report an issue
 * instead.
 */
export class TooDeep extends Error {
  override readonly name: string = "TooDeep";
}

/** Most issues of one value. A hostile array could have millions. */
const MAX_ISSUES = 20;

/** Deepest nesting of schemas while checking, far below the stack of any platform. */
const MAX_DEPTH = 400;

/** Steps for writing a message, and for each level of its path. */
const STEPS_PER_MESSAGE = 50;
const STEPS_PER_LEVEL = 4;

/** Checks a value against a node, and tells the run what is wrong. */
export type CheckNode = (node: SchemaNode, value: unknown, place: Place | undefined, run: Run) => void;

/**
 * One walk through a schema and a value. It either decides whether the value fits, and stops at the first failure; or it
 * explains, and collects issues.
 */
export class Run {
  readonly budget: StepBudget;
  readonly #check: CheckNode;
  #issues: SchemaIssue[] | undefined;
  #hasFailed = false;
  #depth = 0;
  /** How many unions the explanation is inside of. Each tries all its forms, so nesting multiplies the work. */
  unions = 0;

  constructor(check: CheckNode, budget: StepBudget, issues?: SchemaIssue[]) {
    this.#check = check;
    this.budget = budget;
    this.#issues = issues;
  }

  /** Whether the outcome is certain, or enough issues were found. */
  get isSettled(): boolean {
    return this.#hasFailed && (this.#issues === undefined || this.#issues.length >= MAX_ISSUES);
  }

  /** Checks a value against a node. Failures are failures of this run. */
  check(node: SchemaNode, value: unknown, place: Place | undefined): void {
    this.budget.spend(1);
    if (++this.#depth > MAX_DEPTH) throw new TooDeep();
    this.#check(node, value, place, this);
    this.#depth--;
  }

  /** Checks a member of the value at `place`. */
  checkMember(node: SchemaNode, value: unknown, place: Place | undefined, key: string | number): void {
    this.check(node, value, this.#issues === undefined ? undefined : step(place, key));
  }

  /** Whether a value fits a node, without consequences for this run. */
  passes(node: SchemaNode, value: unknown): boolean {
    const [issues, hasFailed] = [this.#issues, this.#hasFailed];
    this.#issues = undefined;
    this.#hasFailed = false;
    this.check(node, value, undefined);
    const passed = !this.#hasFailed;
    this.#issues = issues;
    this.#hasFailed = hasFailed;
    return passed;
  }

  /** Finds the issues of a value, without consequences for this run. */
  explain(node: SchemaNode, value: unknown, place: Place | undefined): readonly SchemaIssue[] {
    const [issues, hasFailed] = [this.#issues, this.#hasFailed];
    const found: SchemaIssue[] = [];
    this.#issues = found;
    this.#hasFailed = false;
    this.check(node, value, place);
    this.#issues = issues;
    this.#hasFailed = hasFailed;
    return found;
  }

  /** Notes a failure. Calls `message` only if issues are collected. */
  fail(kind: IssueKind, place: Place | undefined, message: () => string): void {
    this.#hasFailed = true;
    if (this.#issues === undefined || this.isSettled) return;
    this.budget.spend(STEPS_PER_MESSAGE + STEPS_PER_LEVEL * this.#depth);
    this.add({ path: writePlace(place), kind, message: message() });
  }

  /** Notes a failure that was explained before. Drops duplicates, which several subschemas can report. */
  add(issue: SchemaIssue): void {
    this.#hasFailed = true;
    const issues = this.#issues ?? [];
    const isKnown = issues.some(({ path, message }) => path === issue.path && message === issue.message);
    if (!isKnown && issues.length < MAX_ISSUES) issues.push(issue);
  }

  /** Whether issues are collected. */
  get explains(): boolean {
    return this.#issues !== undefined;
  }

  get hasFailed(): boolean {
    return this.#hasFailed;
  }
}
