/** Sales by month as bars. Written without a framework. */
import { connectView, type OutputOf } from "@toolwire/views";
import type { ExampleServer, sales } from "../../src/server.ts";

type Sales = OutputOf<typeof sales>;

const view = await connectView<typeof sales, ExampleServer>({ name: "sales-chart" });
const title = find("title");
const chart = find("chart");
const note = find("note");

/** What is shown: the result of the call, or of another year that was looked at since. */
let shown: Sales | undefined;

function draw(): void {
  const data = shown ?? view.state.result?.structuredContent;
  if (data === undefined) {
    title.textContent = view.state.input === undefined ? "Sales" : `Sales of ${view.state.input.year} …`;
    return;
  }
  title.textContent = `Sales of ${data.year}, in thousand ${data.currency}`;
  const most = Math.max(...data.months.map(({ amount }) => amount));
  chart.replaceChildren(
    ...data.months.flatMap(({ month, amount }, index) => {
      const height = (amount / most) * 140;
      const bar = svg("rect", { x: index * 50 + 8, y: 155 - height, width: 34, height, rx: 3 });
      bar.append(svg("title", {}, `${month}: ${amount}`));
      return [
        bar,
        svg("text", { x: index * 50 + 25, y: 172 }, month),
        svg("text", { x: index * 50 + 25, y: 150 - height }, `${amount}`),
      ];
    }),
  );
}

/** Looks at another year. The host asks the user, since it is the view that calls. */
async function look(step: number): Promise<void> {
  const year = (shown ?? view.state.result?.structuredContent)?.year;
  if (year === undefined) return;
  note.textContent = "";
  try {
    const { structuredContent, isError } = await view.callTool("sales", { year: year + step });
    if (isError === true || structuredContent === undefined) note.textContent = "There are no figures of that year.";
    else shown = structuredContent;
    draw();
  } catch (error) {
    note.textContent = error instanceof Error ? error.message : String(error);
  }
}

find("before").addEventListener("click", () => void look(-1));
find("after").addEventListener("click", () => void look(1));
view.subscribe(draw);
shown = view.keptState as Sales | undefined;
view.keepState(() => shown);
draw();

function find(id: string): Element {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`There is no element ${id}.`);
  return element;
}

function svg(name: string, attributes: { readonly [name: string]: string | number }, text?: string): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text !== undefined) element.textContent = text;
  return element;
}
