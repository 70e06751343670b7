/** A small host: it calls tools as a model would, shows their views, and asks before views do anything outside of their frames. */
import { connect, textOf as textOfResult, type Tool } from "@toolwire/client";
import { isForModel, views } from "@toolwire/client/views";
import { mountView, type MountedView, type ViewEvent } from "@toolwire/views/host";
import { askUser, textOf } from "./approval.ts";
import { find, make } from "./find.ts";
import { contextFor, type Theme } from "./theme.ts";

const settings = JSON.parse(find("settings").textContent) as { readonly mcp: string; readonly sandbox: string };

/** What a model might pass, for the tools of the example. */
const ARGUMENTS: { readonly [tool: string]: { readonly [argument: string]: unknown } } = {
  sales: { year: 2025 },
  book_table: { guests: 4, day: "2027-03-12" },
  shopping_list: {},
};

const apps = views();
const client = await connect(settings.mcp, { extensions: [apps] });
const server = client.use(apps);
const shown = new Set<MountedView>();
let theme: Theme = "light";

for await (const tool of client.allTools()) {
  // A model, too, would get only these.
  if (!isForModel(tool)) continue;
  const button = find("tools").appendChild(make("button", "", tool.title ?? tool.name));
  button.type = "button";
  button.addEventListener("click", () => void show(tool));
}

find("theme").addEventListener("click", () => {
  theme = theme === "light" ? "dark" : "light";
  find("theme").textContent = theme === "light" ? "Dark" : "Light";
  document.documentElement.style.colorScheme = theme;
  for (const view of shown) view.setContext({ theme });
});

/** Calls a tool, and shows its result: as text, and as a view if the tool has one. */
async function show(tool: Tool): Promise<void> {
  const args = ARGUMENTS[tool.name] ?? {};
  const card = make("section", "card");
  card.append(make("p", "source", `${tool.title ?? tool.name}, from ${client.server?.name ?? "a server"}`));
  const text = card.appendChild(make("p", "text", "…"));
  find("cards").prepend(card);
  const view = await server.read(tool);
  const mounted =
    view &&
    mountView({
      container: card,
      sandbox: settings.sandbox,
      view,
      tool,
      server,
      approve: askUser,
      context: contextFor(theme),
      hostInfo: { name: "example-host", version: "1.0.0" },
      sendMessage: (content) => say(textOf(content)),
      updateContext: ({ content = [] }) => void (find("context").textContent = textOf(content)),
      onEvent: log,
      onLog: (level, data) => line("log", `${level}: ${JSON.stringify(data)}`),
    });
  if (mounted !== undefined && view !== undefined) follow(mounted, tool, view.uri);
  mounted?.sendInput(args);
  const result = await client.callTool(tool.name, args);
  text.textContent = textOfResult(result);
  mounted?.sendResult(result);
}

/** Keeps a view up to date while it is shown. */
function follow(mounted: MountedView, tool: Tool, uri: string): void {
  shown.add(mounted);
  void mounted.closed.then((reason) => {
    shown.delete(mounted);
    if (reason !== undefined) line("log", `ended: ${reason}`);
  });
  // In development, the server says when the file of a view has changed.
  const updated = async (): Promise<void> => {
    const newer = await server.read(tool);
    if (newer !== undefined) await mounted.replace(newer);
  };
  void client.subscribe({ uris: [uri] }, () => void updated());
}

function say(text: string): void {
  line("conversation", `You: ${text}`);
}

function log(event: ViewEvent): void {
  if (event.kind === "shown") line("log", `shown: ${event.uri}`);
  else if (event.kind === "request") line("log", `${event.method}: ${event.error ?? "done"}`);
  else line("log", `ignored: ${event.reason}`);
}

function line(list: "conversation" | "log", text: string): void {
  find(list).append(make("li", "", text));
}
