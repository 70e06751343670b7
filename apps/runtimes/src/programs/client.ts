// A client in a runtime that has a command line: does the task in its first argument, and prints how that went.

import { runTask, type ClientTask } from "./task.ts";

const outcomes = await runTask(JSON.parse(process.argv[2] ?? "") as ClientTask);
console.log(JSON.stringify(outcomes));
// It exits by itself, or something that should have been closed was not.
