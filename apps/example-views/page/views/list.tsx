/** The shopping list, with Preact. */
import { connectView, type OutputOf } from "@toolwire/views";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ExampleServer, ShoppingList } from "../../src/server.ts";

type Items = OutputOf<ShoppingList>["items"];

const view = await connectView<ShoppingList, ExampleServer>({ name: "shopping-list" });

/** The state of the view, as a hook: all that a framework needs. */
function useView() {
  const [state, setState] = useState(view.state);
  useEffect(() => {
    // It may have changed since the component was drawn.
    setState(view.state);
    return view.subscribe(setState);
  }, []);
  return state;
}

function List() {
  const { result } = useView();
  const [changed, setChanged] = useState(view.keptState as Items | undefined);
  const [problem, setProblem] = useState("");
  const items = changed ?? result?.structuredContent?.items ?? [];
  view.keepState(() => changed);

  const attempt = async (work: () => Promise<unknown>) => {
    setProblem("");
    await work().catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  };
  const tick = (id: number, isDone: boolean) =>
    attempt(async () => {
      const { structuredContent } = await view.callTool("tick_item", { id, isDone });
      if (structuredContent === undefined) return;
      setChanged(structuredContent.items);
      const left = structuredContent.items.filter((each) => !each.isDone).map(({ name }) => name);
      await view.updateContext({ content: [{ type: "text", text: `Left to buy: ${left.join(", ") || "nothing"}` }] });
    });

  return (
    <>
      <h1>Shopping list</h1>
      <ul>
        {items.map(({ id, name, isDone }) => (
          <li key={id}>
            <label class={isDone ? "done" : ""}>
              <input
                type="checkbox"
                checked={isDone}
                onClick={(event) => {
                  // What is shown follows the server, which the user may keep the view from calling.
                  event.preventDefault();
                  void tick(id, !isDone);
                }}
              />
              {name}
            </label>
          </li>
        ))}
      </ul>
      <div class="actions">
        <button type="button" onClick={() => void attempt(() => view.sendMessage("What can I cook with this?"))}>
          Ask for a recipe
        </button>
        <button type="button" onClick={() => void attempt(() => view.openLink("https://example.com/recipes"))}>
          Open recipes
        </button>
      </div>
      {problem !== "" && <p class="error">{problem}</p>}
    </>
  );
}

const root = document.getElementById("app");
if (root !== null) render(<List />, root);
