import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { HealthView } from "../../src/admin/views.ts";
import { usePoll } from "./api/poll.ts";
import { BrandMark } from "./controls/brand-mark.tsx";
import { Icon, type IconName } from "./controls/icon.tsx";
import { Segments } from "./controls/segments.tsx";
import { Link } from "./location/link.tsx";
import type { PageLocation } from "./location/query.ts";
import { keptRange } from "./location/range.ts";
import { chooseTheme, readTheme, type Theme } from "./theme.ts";

interface Section {
  readonly id: string;
  readonly name: string;
  readonly icon: IconName;
  /** Whether it shows a time span. The one that was chosen comes along. */
  readonly hasRange?: boolean;
}

const SECTIONS: readonly Section[] = [
  { id: "", name: "Overview", icon: "overview", hasRange: true },
  { id: "calls", name: "Calls", icon: "calls", hasRange: true },
  { id: "servers", name: "Servers", icon: "servers" },
  { id: "add", name: "Add", icon: "plus" },
  { id: "upstreams", name: "Upstreams", icon: "upstreams" },
  { id: "credentials", name: "Credentials", icon: "credentials" },
  { id: "keys", name: "Keys", icon: "keys" },
  { id: "health", name: "Health", icon: "health" },
];

/** All views, the look, and the way out. On narrow screens behind a button. */
export function Navigation(props: { readonly location: PageLocation; readonly onLogOut: () => void }): JSX.Element {
  const section = props.location.parts[0] ?? "";
  const [isOpen, setOpen] = useState(false);
  const health = usePoll<HealthView>("health").data;
  return (
    <header class="side">
      <div class="side-inner">
        <div class="brand">
          <Link href="/" class="brand-link" aria-label="Toolwire gateway, overview">
            <BrandMark />
            <span>
              Toolwire <span class="muted">gateway</span>
            </span>
          </Link>
          <button
            type="button"
            class="button menu-button"
            aria-expanded={isOpen}
            aria-controls="navigation"
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name="menu" /> Menu
          </button>
        </div>
        <nav id="navigation" class={isOpen ? "nav nav-open" : "nav"} aria-label="Views">
          <ul>
            {SECTIONS.map(({ id, name, icon, hasRange }) => (
              <li key={id}>
                <Link
                  href={`/${id}${hasRange ? keptRange(props.location) : ""}`}
                  class="nav-link"
                  aria-current={section === id ? "page" : undefined}
                  onClickCapture={() => setOpen(false)}
                >
                  <Icon name={icon} />
                  {name}
                  {id === "health" && health !== undefined && health.status !== "ok" ? (
                    <span class="nav-mark">
                      <span class="visually-hidden">, </span>
                      {health.status}
                    </span>
                  ) : null}
                </Link>
              </li>
            ))}
          </ul>
          <div class="nav-foot">
            <ThemeSwitch />
            <button type="button" class="button button-quiet" onClick={props.onLogOut}>
              <Icon name="logout" /> Log out
            </button>
          </div>
        </nav>
      </div>
    </header>
  );
}

const THEMES: readonly { readonly id: Theme; readonly name: string; readonly icon: IconName }[] = [
  { id: "auto", name: "As the system", icon: "auto" },
  { id: "light", name: "Light", icon: "sun" },
  { id: "dark", name: "Dark", icon: "moon" },
];

function ThemeSwitch(): JSX.Element {
  const [theme, setTheme] = useState(readTheme());
  return (
    <Segments
      legend="Colours"
      group="theme"
      segments={THEMES.map(({ id, name, icon }) => ({ id, name, label: <Icon name={icon} /> }))}
      chosen={theme}
      onChoose={(id) => {
        chooseTheme(id);
        setTheme(id);
      }}
    />
  );
}
