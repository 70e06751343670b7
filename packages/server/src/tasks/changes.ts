/** The changes that a task goes through. Each takes a task and returns the changed one, or `undefined` if it cannot happen to it. */
import { ErrorCode, type InputRequest } from "@toolwire/protocol";
import { isOver, type TaskBody, type TaskError, type TaskOutcome } from "./body.ts";

/** A change of a task; `undefined` if the task is not in the state for it. */
export type Change = (task: TaskBody) => TaskBody | undefined;

/** How long tasks are kept. */
interface Keeping {
  /** How long the outcome can be read at least. */
  readonly keep: number;
}

/** How a worker takes a task up. */
export interface ClaimTerms extends Keeping {
  readonly now: number;
  /** How long the claim holds unless it is renewed. */
  readonly lease: number;
  /** Whether the work begins at once. */
  readonly isStarted: boolean;
}

/**
 * Takes a task up: it gets the next claim, and what earlier claims write counts no more. If the process that had it has ended in the
 * middle of the work, the task may end here: by its settings, or because that has happened too often.
 */
export function claim({ now, lease, keep, isStarted }: ClaimTerms): Change {
  return (task) => {
    if (isOver(task) || Object.keys(task.open).length > 0) return undefined;
    const held = task.lease;
    if (held !== undefined && held.until > now) return undefined;
    const wasLost = held?.isStarted === true;
    const losses = task.losses + (wasLost ? 1 : 0);
    if (wasLost && task.settings.resume === "fail") {
      return settle(INTERRUPTED, now, keep)({ ...task, losses });
    }
    if (wasLost && losses >= task.settings.attempts) {
      return settle(tooOften(losses), now, keep)({ ...task, losses });
    }
    const { dueAt: _due, ...rest } = task;
    return { ...rest, losses, claim: task.claim + 1, lease: { until: now + lease, isStarted } };
  };
}

/** A change that only the worker with a claim may make. */
export function asHolder(number: number, change: Change): Change {
  return (task) => (isOver(task) || task.claim !== number || task.lease === undefined ? undefined : change(task));
}

/** Holds a claim for longer. */
export function renew(until: number, isStarted: boolean): Change {
  return (task) => ({ ...task, lease: { until, isStarted: isStarted || task.lease?.isStarted === true } });
}

/** Gives a claim back, so that another worker takes the task up at once. */
export function giveBack(now: number): Change {
  return ({ lease: _lease, ...task }) => ({ ...task, dueAt: now });
}

/** Keeps the result of a step. */
export function recordStep(key: string, value: unknown): Change {
  return (task) => ({ ...task, done: { ...task.done, [key]: value === undefined ? {} : { value } } });
}

/** Ends a run with open questions. Nothing is held until they are answered. */
export function suspend(questions: ReadonlyMap<string, InputRequest>, now: number): Change {
  return ({ lease: _lease, ...task }) => ({
    ...task,
    updatedAt: now,
    open: Object.fromEntries([...questions].map(([key, request]) => [key, { request }])),
  });
}

/** Takes up answers to open questions. Others are ignored: they were answered already, or never asked. */
export function answer(responses: { readonly [key: string]: unknown }, now: number): Change {
  return (task) => {
    if (isOver(task)) return undefined;
    const given = Object.keys(task.open).filter((key) => Object.hasOwn(responses, key));
    if (given.length === 0) return undefined;
    const open = Object.fromEntries(Object.entries(task.open).filter(([key]) => !given.includes(key)));
    const answers = { ...task.answers, ...Object.fromEntries(given.map((key) => [key, responses[key]])) };
    const isReady = Object.keys(open).length === 0;
    return { ...task, open, answers, updatedAt: now, ...(isReady && { dueAt: now }) };
  };
}

/** Says what the task is doing. */
export function say(message: string, now: number): Change {
  return (task) => (task.message === message ? undefined : { ...task, message, updatedAt: now });
}

/** Ends a task, once. Its outcome can be read for a while, even if the time of the task is up. */
export function settle(outcome: TaskOutcome, now: number, keep: number, message?: string): Change {
  return (task) => {
    if (isOver(task)) return undefined;
    const { lease: _lease, dueAt: _due, message: _message, ...rest } = task;
    const least = now + keep - task.createdAt;
    return {
      ...rest,
      // What was needed for the work is not needed any more.
      call: { ...task.call, params: { name: task.call.params.name } },
      done: {},
      answers: {},
      open: {},
      outcome,
      updatedAt: now,
      ttl: task.ttl === null ? least : Math.max(task.ttl, least),
      ...(message !== undefined && { message }),
      ...(outcome.kind === "error" && { message: outcome.error.message }),
    };
  };
}

/** Cancels a task. */
export function cancel(now: number, keep: number): Change {
  return settle({ kind: "cancelled" }, now, keep, "The task was cancelled by the client.");
}

/** Ends a task whose time is up. */
export function expire(now: number, keep: number): Change {
  return settle(failure("The task was not done in the time that it had (its ttl)."), now, keep);
}

/** The outcome of a task whose process has ended in the middle of the work. */
export const INTERRUPTED: TaskOutcome = failure("The work was interrupted, because its process has ended.");

function tooOften(losses: number): TaskOutcome {
  return failure(`The work was interrupted ${losses} times, because its process has ended, and is not tried again.`);
}

/** The outcome of a task that the server could not do. */
export function failure(message: string): TaskOutcome {
  const error: TaskError = { code: ErrorCode.InternalError, message };
  return { kind: "error", error };
}
