import { reply, tool, ToolError } from "@toolwire/server";
import { viewFile } from "@toolwire/server/views/node";
import { z } from "zod";

const Item = z.object({ id: z.number(), name: z.string(), isDone: z.boolean() });
const Items = z.object({ items: z.array(Item) });

/** Tools around one shopping list, which begins anew with each server. */
export function shoppingTools() {
  const items: z.infer<typeof Item>[] = ["Oat milk", "Tomatoes", "Bread", "Coffee", "A lemon"].map((name, id) => ({
    id,
    name,
    isDone: id === 2,
  }));

  const shoppingList = tool({
    title: "Shopping list",
    description: "The shopping list",
    output: Items,
    annotations: { readOnlyHint: true },
    view: viewFile(new URL("../dist/views/list.html", import.meta.url), {
      uri: "ui://example/list",
      title: "Shopping list",
    }),
    run: () => {
      const open = items.filter(({ isDone }) => !isDone).map(({ name }) => name);
      const content = open.length === 0 ? "Nothing is left to buy." : `Still to buy: ${open.join(", ")}.`;
      return reply({ structured: { items }, content });
    },
  });

  const tickItem = tool({
    title: "Tick an item",
    description: "Marks an item of the shopping list as bought, or as not bought",
    input: z.object({ id: z.number(), isDone: z.boolean() }),
    output: Items,
    annotations: { destructiveHint: false, idempotentHint: true },
    visibility: ["app"],
    run({ id, isDone }) {
      const item = items.find((each) => each.id === id);
      if (item === undefined) throw new ToolError(`There is no item ${id}.`);
      item.isDone = isDone;
      return { items };
    },
  });

  return { shopping_list: shoppingList, tick_item: tickItem };
}
