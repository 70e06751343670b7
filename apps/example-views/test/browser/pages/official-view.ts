/** A view that is written with the official package. */
import { App } from "@modelcontextprotocol/ext-apps";

const app = new App({ name: "official-view", version: "1.0.0" }, { availableDisplayModes: ["inline", "fullscreen"] });
const write = (id: string, value: unknown): void => {
  const element = document.getElementById(id);
  if (element !== null) element.textContent = JSON.stringify(value);
};

app.addEventListener("toolinput", ({ arguments: args }) => write("input", args));
app.addEventListener("toolresult", ({ structuredContent }) => write("result", structuredContent));
app.addEventListener("hostcontextchanged", ({ theme }) => write("context", theme));
app.onteardown = () => ({});
await app.connect();
write("context", app.getHostContext()?.theme);
const { content } = await app.callServerTool({ name: "for_views", arguments: { a: 1 } });
const read = await app.readServerResource({ uri: "ui://attack/data" });
await app.sendMessage({ role: "user", content: [{ type: "text", text: "hello" }] });
await app.updateModelContext({ structuredContent: { seen: true } });
await app.openLink({ url: "https://example.com/" });
const { mode } = await app.requestDisplayMode({ mode: "fullscreen" });
await app.sendLog({ level: "info", data: "done" });
write("called", [content, read.contents, mode]);
