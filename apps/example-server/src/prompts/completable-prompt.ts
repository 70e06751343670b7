import { prompt, type Context } from "@toolwire/server";

const TEAMS: ReadonlyMap<string, readonly string[]> = new Map([
  ["Engineering", ["Compilers", "Kernel", "Platform"]],
  ["Marketing", ["Brand", "Events", "Press"]],
  ["Sales", ["Enterprise", "Retail"]],
  ["Support", ["Documentation", "Hotline"]],
]);

export const completablePrompt = prompt({
  title: "Prompt with completion",
  description: "Asks to introduce a team. What is suggested for the team depends on the department.",
  arguments: {
    department: { description: "The department of the team", required: true, complete: suggestDepartments },
    name: { description: "The name of the team", required: true, complete: suggestTeams },
  },
  get: ({ department, name }) => `Please introduce the team ${name} of the department ${department}.`,
});

function suggestDepartments(typed: string): string[] {
  return thatBegin(typed, [...TEAMS.keys()]);
}

/** Suggests the teams of the department that was chosen before. */
function suggestTeams(typed: string, _ctx: Context, settled: { readonly [argument: string]: string }): string[] {
  return thatBegin(typed, TEAMS.get(settled["department"] ?? "") ?? []);
}

function thatBegin(typed: string, values: readonly string[]): string[] {
  return values.filter((value) => value.toLowerCase().startsWith(typed.toLowerCase()));
}
