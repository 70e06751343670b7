import { attempt, type StepOutcome, type StepOutcomes, type StepRun } from "./outcomes.ts";
import { expectIn, type StepChoice } from "./run-steps.ts";

/** The steps that every pair takes whose two sides know skills. */
export const SKILL_STEPS = ["list", "load", "read", "folder", "unlisted", "unknown", "end"] as const;

/** The steps that a client runs. `end` is checked after the client has exited. */
type Step = Exclude<(typeof SKILL_STEPS)[number], "end">;

/** What the servers have: one skill, of a text and a picture. */
export const SKILL = {
  path: "refunds",
  uri: "skill://refunds/SKILL.md",
  name: "refunds",
  description: "Refund an order: “fast”, and friendly",
  body: "Look the order up, and write as in `mails/confirmation.md`.\n",
  mail: "Dear customer, grüße 🌍\n",
  picture: new Uint8Array([137, 80, 78, 71, 0, 255, 254]),
} as const;

/** Operations of a client that knows skills. What is read has been verified. */
export interface SkillDriver {
  /** The URIs of all skills with their descriptions. */
  list(): Promise<{ readonly uri: string; readonly description: string }[]>;
  /** The instructions of a skill, without the front matter. */
  load(uri: string): Promise<string>;
  /** A file of a skill. */
  read(uri: string, file: string): Promise<{ readonly text?: string | undefined; readonly bytes: Uint8Array }>;
  /** The URIs of what is in a folder. */
  listFolder(uri: string): Promise<string[]>;
}

/** Goes through the steps, one after the other; a step that fails does not keep the others from being tried. */
export async function runSkillSteps(driver: SkillDriver, choice: StepChoice): Promise<StepOutcomes> {
  const outcomes: { [step: string]: StepOutcome } = {};
  for (const step of SKILL_STEPS.filter((name): name is Step => name !== "end")) {
    const isKnownToFail = choice.knownToFail?.includes(step) === true;
    outcomes[step] = choice.without.includes(step) ? "impossible" : await attempt(steps[step](driver), isKnownToFail);
  }
  return outcomes;
}

const steps: { readonly [S in Step]: (driver: SkillDriver) => StepRun } = {
  list: (driver) => async () => {
    const found = await driver.list();
    const skill = found.find(({ uri }) => uri === SKILL.uri);
    expectIn("the description", SKILL.description, skill?.description ?? "");
  },
  load: (driver) => async () => expectIn("the instructions", SKILL.body.trim(), await driver.load(SKILL.uri)),
  read: (driver) => async () => {
    expectIn("the mail", SKILL.mail, (await driver.read(SKILL.uri, "mails/confirmation.md")).text ?? "");
    const { bytes } = await driver.read(SKILL.uri, "logo.png");
    if (!Buffer.from(SKILL.picture).equals(bytes)) {
      throw new Error(`the picture is ${Buffer.from(bytes).toString("hex")}`);
    }
  },
  folder: (driver) => async () => {
    const folder = `skill://${SKILL.path}`;
    const children = await driver.listFolder(folder);
    for (const name of ["SKILL.md", "logo.png", "mails"]) expectIn("the folder", `${folder}/${name}`, children);
    const mails = await driver.listFolder(`${folder}/mails`);
    expectIn("the folder within", `${folder}/mails/confirmation.md`, mails);
  },
  unlisted: (driver) => () => expectRejection(driver.read(SKILL.uri, "secrets.md")),
  unknown: (driver) => () => expectRejection(driver.load("skill://nothing/SKILL.md")),
};

async function expectRejection(reading: Promise<unknown>): Promise<void> {
  const outcome = await reading.then(
    (value) => `expected a refusal, got ${JSON.stringify(value)}`,
    () => undefined,
  );
  if (outcome !== undefined) throw new Error(outcome);
}
