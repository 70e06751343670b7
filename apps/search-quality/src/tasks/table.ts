import { markdownTable } from "@toolwire/evidence";
import type { Source } from "../sources/source.ts";
import { costOf, type Mode, type Task, type TaskTool } from "./task.ts";

/** What tasks cost in modes. */
export async function tabulateTasks(
  tasks: readonly Task[],
  modes: readonly Mode[],
  sources: readonly Source[],
): Promise<string> {
  const head = ["task", "tools", ...modes.flatMap(({ title }) => [`${title}: calls`, "context", "read in all turns"])];
  const rows: string[][] = [];
  for (const task of tasks) {
    const tools = toolsOf(task, sources);
    const row = [task.title, format(tools.length)];
    for (const mode of modes) {
      const { calls, context, read } = costOf(await mode.run(task, tools));
      row.push(format(calls), format(context), format(read));
    }
    rows.push(row);
  }
  return markdownTable(head, rows);
}

function toolsOf(task: Task, sources: readonly Source[]): readonly TaskTool[] {
  return task.sources.flatMap((title) => {
    const source = sources.find((each) => each.title === title);
    if (source === undefined) throw new Error(`There is no source ${title}.`);
    const name = (own: string): string => (task.sources.length === 1 ? own : `${title}_${own}`);
    return source.tools.map((tool) => ({ ...tool, name: name(tool.name), source: title }));
  });
}

function format(count: number): string {
  return Math.round(count).toLocaleString("en");
}
