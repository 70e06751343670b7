/** For reference: undici's pool, with nothing of the protocol but the bytes. */
import { prepareCalls, readText } from "./bare-http.ts";
import type { ClientContender } from "./client.ts";

export const client: ClientContender = {
  name: "undici",
  packages: ["undici"],
  offer: ({ transport }) => (transport === "http" ? {} : "HTTP only"),
  async connect(target) {
    if (target.transport !== "http") throw new Error("This one speaks HTTP only.");
    const { Pool } = await import("undici");
    const { url, answers, bytes } = target;
    const pool = new Pool(new URL(url).origin, { connections: 64 });
    const { headers, nextBody } = prepareCalls(bytes);
    return async () => {
      const response = await pool.request({ path: "/mcp", method: "POST", headers, body: nextBody() });
      return readText(await response.body.text(), answers);
    };
  },
};
