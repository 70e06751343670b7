// A client in a web page: does one task after the other, as the server of the page hands them out.

import { runTask, type ClientTask } from "./task.ts";

for (;;) {
  const next = await fetch("/next");
  if (next.status !== 200) break;
  const outcomes = await runTask((await next.json()) as ClientTask);
  await fetch("/done", { method: "POST", body: JSON.stringify(outcomes) });
}
