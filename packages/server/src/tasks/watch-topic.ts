import type { Context } from "../define/context.ts";
import type { ListenTopic, TopicNotification } from "../define/extension.ts";
import { invalidParams } from "../errors.ts";
import { MAX_ID } from "./body.ts";
import { detailTask } from "./describe-task.ts";
import { findOwn } from "./find-own.ts";
import type { TaskWorker } from "./worker.ts";

/** Lets clients listen for changes of their tasks (extension, "Task Status Notifications"). */
export function taskTopic(worker: () => TaskWorker): ListenTopic {
  return {
    async accept(wanted, ctx) {
      const ids = readIds(wanted, worker().settings.maxWatched);
      // Tasks of others are left out like those that do not exist.
      const found = await Promise.all(ids.map((id) => findOwn(worker(), id, ctx)));
      const accepted = ids.filter((_id, index) => found[index] !== undefined);
      if (accepted.length === 0) return undefined;
      for (const task of found) if (task !== undefined) worker().followed.follow(task, ctx.signal);
      return {
        accepted,
        async notify(event) {
          const changed = event === undefined ? accepted : accepted.filter((id) => id === event);
          const made = await Promise.all(changed.map((id) => notificationOf(worker(), id, ctx)));
          return made.filter((notification) => notification !== undefined);
        },
      };
    },
  };
}

async function notificationOf(worker: TaskWorker, id: string, ctx: Context): Promise<TopicNotification | undefined> {
  const task = await findOwn(worker, id, ctx);
  return task === undefined ? undefined : { method: "notifications/tasks", params: detailTask(task) };
}

function readIds(wanted: unknown, max: number): readonly string[] {
  const isList = Array.isArray(wanted) && wanted.length <= max;
  const areIds = isList && wanted.every((id) => typeof id === "string" && id.length <= MAX_ID);
  if (areIds) return [...new Set<string>(wanted)];
  throw invalidParams(`\`notifications.taskIds\` must be an array of at most ${max} ids of tasks.`);
}
