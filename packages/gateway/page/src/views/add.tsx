import type { JSX } from "preact";
import { Icon, type IconName } from "../controls/icon.tsx";
import { ViewHead } from "../controls/panel.tsx";
import { Link } from "../location/link.tsx";
import type { PageLocation } from "../location/query.ts";
import { AddToolPage } from "./add-tool.tsx";
import { AddUpstreamPage } from "./add-upstream.tsx";
import { ImportPage } from "./import.tsx";

const WAYS: readonly { readonly id: string; readonly name: string; readonly icon: IconName; readonly text: string }[] =
  [
    {
      id: "openapi",
      name: "An API with an OpenAPI document",
      icon: "import",
      text: "Choose operations of the document. Each becomes a tool.",
    },
    {
      id: "mcp",
      name: "Another MCP server",
      icon: "upstreams",
      text: "Its tools, resources and prompts are offered through this gateway.",
    },
    {
      id: "tool",
      name: "A tool by hand",
      icon: "plus",
      text: "One HTTP request: method, URL, arguments, and what the model should know.",
    },
  ];

/** Ways to add something to the gateway. */
export function AddPage({ location }: { readonly location: PageLocation }): JSX.Element {
  const server = location.query.get("server") ?? "";
  const way = location.parts[1];
  if (way === "openapi") return <ImportPage />;
  if (way === "mcp") return <AddUpstreamPage server={server} />;
  if (way === "tool") return <AddToolPage server={server} />;
  return (
    <>
      <ViewHead title="Add" note="What should clients be able to use through this gateway?" />
      <ul class="cards">
        {WAYS.map(({ id, name, icon, text }) => (
          <li key={id}>
            <Link href={`/add/${id}`} class="card way">
              <Icon name={icon} />
              <b>{name}</b>
              <span class="muted">{text}</span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
