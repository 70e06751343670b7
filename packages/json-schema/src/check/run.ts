import type { StepBudget } from "../patterns/step-budget.ts";
import type { IssueKind, SchemaIssue } from "../issues/issue.ts";
import { step, writePlace, type Place } from "../issues/path.ts";
import type { SchemaNode } from "../read/schema-node.ts";

/** Thrown when a value is nested deeper than it can be followed. */
export class TooDeep extends Error {
  override readonly name: string = "TooDeep";
}

/** More issues than this help nobody, and a hostile array could yield millions. */
const MAX_ISSUES = 20;

/** Levels of schemas within schemas that one value may lead through; far below what the stack of any platform holds. */
const MAX_DEPTH = 400;

/** What it takes to write a message, and each level of the path to it: a schema may ask for the same one endlessly. */
const STEPS_PER_MESSAGE = 50;
const STEPS_PER_LEVEL = 4;

/** Checks a value against a node, and tells the run what is wrong. */
export type CheckNode = (node: SchemaNode, value: unknown, place: Place | undefined, run: Run) => void;

/**
 * One walk through a schema and a value. It either only finds out whether the value fits, and stops at the first
 * failure; or it explains, and collects issues.
 */
export class Run {
  readonly budget: StepBudget;
  readonly #check: CheckNode;
  #issues: SchemaIssue[] | undefined;
  #hasFailed = false;
  #depth = 0;
  /** How many unions deep the explanation is: each tries all its forms, so nesting them multiplies the work. */
  unions = 0;

  constructor(check: CheckNode, budget: StepBudget, issues?: SchemaIssue[]) {
    this.#check = check;
    this.budget = budget;
    this.#issues = issues;
  }

  /** Whether nothing more needs to be found out. */
  get isSettled(): boolean {
    return this.#hasFailed && (this.#issues === undefined || this.#issues.length >= MAX_ISSUES);
  }

  /** Checks a value against a node; what is wrong becomes a failure of this run. */
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

  /** What is wrong with a value, without consequences for this run. */
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

  /** Notes a failure. The message is only made if somebody will read it. */
  fail(kind: IssueKind, place: Place | undefined, message: () => string): void {
    this.#hasFailed = true;
    if (this.#issues === undefined || this.isSettled) return;
    this.budget.spend(STEPS_PER_MESSAGE + STEPS_PER_LEVEL * this.#depth);
    this.add({ path: writePlace(place), kind, message: message() });
  }

  /** Notes a failure that was explained before. What two subschemas complain of alike is said once. */
  add(issue: SchemaIssue): void {
    this.#hasFailed = true;
    const issues = this.#issues ?? [];
    const isKnown = issues.some(({ path, message }) => path === issue.path && message === issue.message);
    if (!isKnown && issues.length < MAX_ISSUES) issues.push(issue);
  }

  /** Whether failures are collected, so that it pays to find good words for them. */
  get explains(): boolean {
    return this.#issues !== undefined;
  }

  get hasFailed(): boolean {
    return this.#hasFailed;
  }
}
