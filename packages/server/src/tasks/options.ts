import { UsageError } from "@toolwire/protocol";
import {
  expectBoolean,
  expectChoice,
  expectCount,
  expectLimit,
  expectMilliseconds,
  expectOption,
  expectOptions,
  isObject,
  type OptionNames,
} from "@toolwire/protocol/internal";
import type { Resume, TaskSettings } from "./body.ts";
import { memoryTaskStore } from "./memory-store.ts";
import type { TaskStore } from "./store.ts";

/** The options of `tasks()`. All durations are milliseconds. */
export interface TasksOptions {
  /** Keeps the tasks. Default: `memoryTaskStore()`, whose tasks end with the process. */
  readonly store?: TaskStore | undefined;
  /** The longest time that a task is kept after it was created, whatever a tool or a client wishes. Default one day; `null`: no limit. */
  readonly maxTtl?: number | null | undefined;
  /** How long the outcome of a task can be read at least. Default 10 minutes. */
  readonly keep?: number | undefined;
  /** How many tasks of one caller may be unfinished. All callers without authentication count as one. Default 100. */
  readonly perCaller?: number | undefined;
  /** How many tasks of all callers may be unfinished. Default 10 000. */
  readonly maxTasks?: number | undefined;
  /** How many tasks run in this process at the same time. Others wait. Default 16. */
  readonly maxRunning?: number | undefined;
  /** How many questions of one task may be open at the same time. Default 100. */
  readonly maxQuestions?: number | undefined;
  /** How many characters of JSON the answers and the results of `once` of one task may have. Default 1 MiB. */
  readonly maxJournal?: number | undefined;
  /** How many characters of JSON the result of a task may have. Default 1 MiB. */
  readonly maxResult?: number | undefined;
  /** How many tasks a client may watch by one `subscriptions/listen`. Default 100. */
  readonly maxWatched?: number | undefined;
  /**
   * Whether clients of 2025-11-25 can list their tasks. All callers without authentication see the same list, so turn this on only if
   * all your callers are authenticated, or are one. Default false.
   */
  readonly list?: boolean | undefined;
  /** How long a worker's claim on a task holds if it is not renewed: after that, another process takes the task up. Default 30 seconds. */
  readonly lease?: number | undefined;
  /** How often each process looks for tasks that nobody works at, more or less. Default 5 seconds. */
  readonly sweepInterval?: number | undefined;
}

/** The options of {@link TasksOptions} with their defaults. */
export type TasksSettings = { readonly [K in keyof TasksOptions]-?: Exclude<TasksOptions[K], undefined> };

const TASKS: OptionNames<TasksOptions> = {
  store: true,
  maxTtl: true,
  keep: true,
  perCaller: true,
  maxTasks: true,
  maxRunning: true,
  maxQuestions: true,
  maxJournal: true,
  maxResult: true,
  maxWatched: true,
  list: true,
  lease: true,
  sweepInterval: true,
};

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const MEBI = 1_048_576;

/** Checks the options of `tasks()`, and adds the defaults. */
export function readTasksOptions(given: TasksOptions): TasksSettings {
  const options = expectOptions("tasks()", given, TASKS);
  const { store = memoryTaskStore(), maxTtl = DAY } = options;
  const isStore = isObject(store) && typeof store["create"] === "function" && typeof store["replace"] === "function";
  expectOption("store", store, isStore, "a store of tasks, such as memoryTaskStore() or fileTaskStore(directory)");
  return {
    store,
    maxTtl: maxTtl === null ? null : expectCount("maxTtl", maxTtl),
    keep: expectMilliseconds("keep", options.keep, 10 * MINUTE),
    perCaller: expectLimit("perCaller", options.perCaller, 100),
    maxTasks: expectLimit("maxTasks", options.maxTasks, 10_000),
    maxRunning: expectLimit("maxRunning", options.maxRunning, 16),
    maxQuestions: expectLimit("maxQuestions", options.maxQuestions, 100),
    maxJournal: expectLimit("maxJournal", options.maxJournal, MEBI),
    maxResult: expectLimit("maxResult", options.maxResult, MEBI),
    maxWatched: expectLimit("maxWatched", options.maxWatched, 100),
    list: expectBoolean("list", options.list, false),
    lease: expectMilliseconds("lease", options.lease, 30_000, 3),
    sweepInterval: expectMilliseconds("sweepInterval", options.sweepInterval, 5000, 1),
  };
}

/** How a tool runs as a task: the option `task` of `tool()`. `true` means all defaults. All durations are milliseconds. */
export interface TaskOptions {
  /**
   * `"optional"`, the default: clients that know tasks get one, others wait for the result. `"required"`: others are refused.
   * `"forbidden"`: never a task.
   */
  readonly mode?: "optional" | "required" | "forbidden" | undefined;
  /**
   * When a call becomes a task: at once (`"now"`, the default); when it has taken this many milliseconds, so that quick calls are
   * answered directly; or when the handler calls `ctx.task.begin()` (`"manual"`). Before that, questions are asked as in any other call.
   * If a client of 2025-11-25 asks for a task, it gets one at once.
   */
  readonly begin?: "now" | "manual" | number | undefined;
  /** How long the task is kept after it was created. If it has not ended by then, it fails. Default one hour; `null`: no limit. */
  readonly ttl?: number | null | undefined;
  /** How long clients should wait between two looks. Default one second, and five when the task is older than a minute. */
  readonly poll?: number | undefined;
  /**
   * What happens if the process ends in the middle of the work. `"fail"`, the default: the task fails. `"replay"`: the handler runs
   * again from the top, and what it has done by `ctx.once` is not done again.
   */
  readonly resume?: Resume | undefined;
  /** How often the work is begun if processes end in the middle of it, with `resume: "replay"`. Default 3. */
  readonly attempts?: number | undefined;
}

const TASK: OptionNames<TaskOptions> = {
  mode: true,
  begin: true,
  ttl: true,
  poll: true,
  resume: true,
  attempts: true,
};

/** The options of {@link TaskOptions} with their defaults. */
export interface TaskPlan extends TaskSettings {
  readonly mode: "optional" | "required" | "forbidden";
  readonly begin: "now" | "manual" | number;
  readonly ttl: number | null;
}

/** Checks the option `task` of a tool, and adds the defaults. `undefined` if the tool has none. */
export function readTaskOptions(tool: string, given: unknown): TaskPlan | undefined {
  if (given === undefined || given === false) return undefined;
  if (given !== true && !isObject(given)) {
    throw new UsageError("INVALID_DEFINITION", `\`task\` of tool "${tool}" must be true, or an object of options.`);
  }
  const options = expectOptions(`\`task\` of tool "${tool}"`, given === true ? {} : (given as TaskOptions), TASK);
  const { ttl = 60 * MINUTE, begin = "now", poll } = options;
  const isBegin = begin === "now" || begin === "manual" || (Number.isSafeInteger(begin) && begin >= 0);
  expectOption("task.begin", begin, isBegin, '"now", "manual", or a whole number of milliseconds');
  return {
    mode: expectChoice("task.mode", ["optional", "required", "forbidden"], options.mode),
    begin,
    ttl: ttl === null ? null : expectCount("task.ttl", ttl),
    ...(poll !== undefined && { poll: expectCount("task.poll", poll) }),
    resume: expectChoice("task.resume", ["fail", "replay"], options.resume),
    attempts: expectCount("task.attempts", options.attempts ?? 3),
  };
}
