// app/api/mcp/route.ts
import { createServer, tool } from "@toolwire/server";
import { createHttpHandler } from "@toolwire/server/http";
import { z } from "zod";

const server = createServer({
  name: "shop",
  version: "1.0.0",
  tools: {
    find_product: tool({
      description: "Finds a product by its name",
      input: z.object({ name: z.string() }),
      run: ({ name }) => `There are three of ${name}.`,
    }),
  },
});

const { fetch: handle } = createHttpHandler(server, { allowedHosts: ["localhost", "shop.example.com"] });

export { handle as DELETE, handle as GET, handle as OPTIONS, handle as POST };
