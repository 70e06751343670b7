import type { ClientDiagnostic } from "@toolwire/client";
import type { Revision } from "@toolwire/protocol";
import { createPaint, isTerminal, wantsColour, type Paint } from "../printing/paint.ts";
import { LivePresenter } from "../screen/live-presenter.ts";
import { SHOW_CURSOR } from "../screen/live-region.ts";
import { PlainPresenter } from "../screen/plain-presenter.ts";
import type { Presenter } from "../screen/presenter.ts";
import { toSeconds } from "../screen/words.ts";
import { Checks } from "./checks.ts";
import { closeLanes, openLanes, type Lane } from "./lanes.ts";
import { longCalls } from "./long-calls.ts";
import { mistakes } from "./mistakes.ts";
import { question, Respondent } from "./question.ts";
import { race } from "./race.ts";
import { sprint, type Speeds } from "./sprint.ts";
import { structuredContent } from "./structured-content.ts";
import { summarize } from "./summary.ts";

/** Runs the show. Resolves to whether everything was as it should be. */
export async function runShow(revision: Revision | undefined): Promise<boolean> {
  const paint = createPaint(wantsColour(process.stdout));
  const presenter = createPresenter(paint);
  const checks = new Checks();
  const respondent = new Respondent();
  const start = performance.now();

  console.log(`${paint("bold", "Toolwire")}: one server, three transports, at once.`);
  const lanes = await openLanes({
    info: { name: "toolwire-show", version: "1.0.0" },
    revision,
    timeout: 10_000,
    connectTimeout: 15_000,
    elicitation: respondent.handler,
    onDiagnostic: (event) => checkDiagnostic(event, checks),
  });
  endTidily(lanes);
  try {
    const stage = { lanes, presenter, checks };
    const speeds: Speeds = new Map();
    const acts = [race, longCalls, mistakes, structuredContent, question(respondent), sprint(speeds)];
    for (const act of acts) await act(stage);
    summarize(stage, speeds);
  } finally {
    await closeLanes(lanes);
  }
  console.log(`\n${describeOutcome(checks, paint)} (${toSeconds(performance.now() - start)})`);
  return checks.failures.length === 0;
}

function createPresenter(paint: Paint): Presenter {
  const { stdout } = process;
  if (!isTerminal(stdout)) return new PlainPresenter((line) => console.log(line));
  return new LivePresenter(stdout, paint);
}

/** The client notices when a server breaks the protocol, such as by an answer that nobody waits for. */
function checkDiagnostic({ level, message }: ClientDiagnostic, checks: Checks): void {
  if (level === "warning" || level === "error") checks.that("nothing unexpected happens", false, message);
}

/** Ctrl-C ends the show: the server is closed, and the cursor is back. */
function endTidily(lanes: readonly Lane[]): void {
  process.once("SIGINT", () => {
    if (isTerminal(process.stdout)) process.stdout.write(SHOW_CURSOR);
    // The exit code of programs that SIGINT has ended.
    void closeLanes(lanes).finally(() => process.exit(130));
  });
}

function describeOutcome(checks: Checks, paint: Paint): string {
  const { count, failures } = checks;
  if (failures.length === 0) return paint("green", `All ${count.toLocaleString("en")} checks held.`);
  const shown = failures.slice(0, 20).map((failure) => `  - ${failure}`);
  if (failures.length > shown.length) shown.push(`  - and ${failures.length - shown.length} more`);
  return paint("red", [`${failures.length} of ${count} checks failed:`, ...shown].join("\n"));
}
