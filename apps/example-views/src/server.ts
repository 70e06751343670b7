import { createServer, type ServerExtension } from "@toolwire/server";
import { onlyForHosts, views } from "@toolwire/server/views";
import { bookTable, confirmBooking } from "./booking.ts";
import { sales } from "./sales.ts";
import { shoppingTools } from "./shopping.ts";

/** Makes the example server: three tools with a view each, and two that only views call. */
export function createExampleServer(apps: ServerExtension = views()) {
  return createServer({
    name: "example",
    version: "1.0.0",
    extensions: [apps],
    middleware: [onlyForHosts(apps)],
    tools: { sales, book_table: bookTable, confirm_booking: confirmBooking, ...shoppingTools() },
  });
}

/** The types of the server's tools, for its views. */
export type ExampleServer = ReturnType<typeof createExampleServer>;
export type { sales } from "./sales.ts";
export type ShoppingList = ReturnType<typeof shoppingTools>["shopping_list"];
