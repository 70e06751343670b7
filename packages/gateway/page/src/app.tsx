import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { SessionView } from "../../src/admin/views.ts";
import { change, read, whenLoggedOut } from "./api/client.ts";
import { logInByLink } from "./api/login-link.ts";
import { Announcements } from "./controls/announce.tsx";
import { Notice } from "./controls/panel.tsx";
import { useLocation, type PageLocation } from "./location/location.ts";
import { Navigation } from "./navigation.tsx";
import { CallView } from "./views/call.tsx";
import { CallsView } from "./views/calls.tsx";
import { CredentialsView } from "./views/credentials.tsx";
import { HealthPage } from "./views/health.tsx";
import { ImportPage } from "./views/import.tsx";
import { KeysPage } from "./views/keys.tsx";
import { LoginView } from "./views/login.tsx";
import { Overview } from "./views/overview.tsx";
import { ServerPage } from "./views/server.tsx";
import { ServersPage } from "./views/servers.tsx";
import { ToolPage } from "./views/tool.tsx";
import { UpstreamsPage } from "./views/upstreams.tsx";

/** The page: a login, or the navigation beside one of the views. */
export function App(): JSX.Element | null {
  const [session, setSession] = useState<"unknown" | "out" | "in" | "unreachable">("unknown");
  const [provider, setProvider] = useState<string | undefined>();
  const location = useLocation();
  const main = useRef<HTMLElement>(null);
  const path = location.parts.join("/");
  const isFirst = useRef(true);

  useEffect(() => {
    whenLoggedOut(() => setSession("out"));
    void logInByLink()
      .then(() => read<SessionView>("session"))
      .then(
        ({ isLoggedIn, login }) => {
          setProvider(login?.name);
          setSession(isLoggedIn ? "in" : "out");
        },
        () => setSession("unreachable"),
      );
  }, []);

  // As on any other page, the focus goes to the start of a new view.
  useEffect(() => {
    document.title = `${titleOf(location)} · Toolwire gateway`;
    if (session !== "in") return;
    if (isFirst.current) isFirst.current = false;
    else main.current?.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
  }, [path, session]);

  if (session === "unknown") return null;
  if (session === "unreachable") return <Notice tone="bad">The gateway does not answer. Load the page again.</Notice>;
  if (session === "out") return <LoginView provider={provider} onLogin={() => setSession("in")} />;
  const logOut = async (): Promise<void> => {
    await change("DELETE", "session");
    setSession("out");
  };
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <div class="frame">
        <Navigation section={location.parts[0] ?? ""} onLogOut={() => void logOut()} />
        <main id="main" ref={main} tabIndex={-1}>
          <View location={location} />
        </main>
      </div>
      <Announcements />
    </>
  );
}

function View({ location }: { readonly location: PageLocation }): JSX.Element {
  const [section, first, tools, tool] = location.parts;
  if (section === undefined) return <Overview location={location} />;
  if (section === "calls" && first !== undefined) return <CallView key={first} id={first} />;
  if (section === "calls") return <CallsView location={location} />;
  if (section === "servers" && first !== undefined && tools === "tools" && tool !== undefined) {
    return <ToolPage key={`${first}/${tool}`} slug={first} name={tool} location={location} />;
  }
  if (section === "servers" && first !== undefined) return <ServerPage key={first} slug={first} />;
  if (section === "servers") return <ServersPage />;
  if (section === "import") return <ImportPage />;
  if (section === "upstreams") return <UpstreamsPage />;
  if (section === "credentials") return <CredentialsView />;
  if (section === "keys") return <KeysPage />;
  if (section === "health") return <HealthPage />;
  return (
    <>
      <h1 tabIndex={-1}>Not found</h1>
      <p>There is no view of this name.</p>
    </>
  );
}

function titleOf({ parts }: PageLocation): string {
  const [section = "overview", name] = parts;
  const title = `${section[0]?.toUpperCase() ?? ""}${section.slice(1)}`;
  return name === undefined ? title : `${parts.at(-1) ?? name} · ${title}`;
}
