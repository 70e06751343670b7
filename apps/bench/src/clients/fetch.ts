/** For reference: global `fetch`, with nothing of the protocol but the bytes. */
import { prepareCalls, readText } from "./bare-http.ts";
import type { ClientContender } from "./client.ts";

export const client: ClientContender = {
  name: "fetch",
  packages: [],
  offer: ({ transport }) => (transport === "http" ? {} : "HTTP only"),
  async connect(target) {
    if (target.transport !== "http") throw new Error("This one speaks HTTP only.");
    const { url, answers, bytes } = target;
    const { headers, nextBody } = prepareCalls(bytes);
    return async () => {
      const response = await fetch(url, { method: "POST", headers, body: nextBody() });
      return readText(await response.text(), answers);
    };
  },
};
