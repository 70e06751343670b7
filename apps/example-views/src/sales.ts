import { reply, tool } from "@toolwire/server";
import { viewFile } from "@toolwire/server/views/node";
import { z } from "zod";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Sales by month, for a chart. The text of the result is all that the model gets, so that it says what matters. */
export const sales = tool({
  title: "Sales",
  description: "Sales of a year by month, in thousands of euros",
  input: z.object({ year: z.int().min(2020).max(2026) }),
  output: z.object({
    year: z.number(),
    currency: z.string(),
    months: z.array(z.object({ month: z.string(), amount: z.number() })),
  }),
  annotations: { readOnlyHint: true },
  view: viewFile(new URL("../dist/views/chart.html", import.meta.url), {
    uri: "ui://example/chart",
    title: "Sales chart",
  }),
  run({ year }) {
    const months = MONTHS.map((month, index) => ({ month, amount: amountOf(year, index) }));
    const sum = months.reduce((before, { amount }) => before + amount, 0);
    const best = months.reduce((before, each) => (each.amount > before.amount ? each : before));
    return reply({
      structured: { year, currency: "EUR", months },
      content: `Sales of ${year}: ${sum} thousand euros; the best month was ${best.month}, with ${best.amount}.`,
    });
  },
});

/** The same figures for the same month at every start. */
function amountOf(year: number, month: number): number {
  return (
    40 + ((year * 7 + month * 13) % 23) + Math.round(12 * Math.sin((month / 12) * 2 * Math.PI)) + (year - 2020) * 3
  );
}
