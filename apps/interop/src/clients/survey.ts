// Our own client, for servers without a script: runs the steps of a survey.

import { connect } from "@toolwire/client";
import { runSurvey } from "../steps/survey-steps.ts";
import { commandOf, report, urlOf } from "./task.ts";

await report(async (task) => {
  const client = await connect(task.transport === "stdio" ? commandOf(task) : urlOf(task), {
    info: { name: "interop", version: "1.0.0" },
  });
  const outcomes = await runSurvey(client, task.calls ?? [], task.knownToFail ?? []);
  await client.close();
  return outcomes;
});
