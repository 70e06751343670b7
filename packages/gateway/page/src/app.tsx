import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { SessionView } from "../../src/admin/views.ts";
import { change, read, whenLoggedOut } from "./api/client.ts";
import { useFittingSpan } from "./api/fitting-span.ts";
import { hasLoginCode, logInByLink } from "./api/login-link.ts";
import { Announcements } from "./controls/announce.tsx";
import { Notice, ViewHead, Waiting } from "./controls/panel.tsx";
import { Link } from "./location/link.tsx";
import { useLocation } from "./location/location.ts";
import type { PageLocation } from "./location/query.ts";
import type { RangeLocation } from "./location/range.ts";
import { Navigation } from "./navigation.tsx";
import { AddPage } from "./views/add.tsx";
import { CallView } from "./views/call.tsx";
import { CallsView } from "./views/calls.tsx";
import { CredentialsView } from "./views/credentials.tsx";
import { EditToolPage, EditUpstreamPage } from "./views/edit.tsx";
import { HealthPage } from "./views/health.tsx";
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
  const [linkProblem, setLinkProblem] = useState<string | undefined>();
  const location = useLocation();
  const main = useRef<HTMLElement>(null);
  const path = location.parts.join("/");
  const isFirst = useRef(true);

  useEffect(() => {
    whenLoggedOut(() => setSession("out"));
    const begin = async (): Promise<void> => {
      const problem = await logInByLink();
      try {
        const { isLoggedIn, login } = await read<SessionView>("session");
        setProvider(login?.name);
        setLinkProblem(isLoggedIn ? undefined : problem);
        setSession(isLoggedIn ? "in" : "out");
      } catch {
        setSession("unreachable");
      }
    };
    // A link that is opened in a tab of the page changes what follows `#`, and loads nothing.
    const onHash = (): void => void (hasLoginCode() && begin());
    globalThis.addEventListener("hashchange", onHash);
    void begin();
    return () => globalThis.removeEventListener("hashchange", onHash);
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
  if (session === "out") {
    const enter = (): void => {
      setLinkProblem(undefined);
      setSession("in");
    };
    return <LoginView provider={provider} problem={linkProblem} onLogin={enter} />;
  }
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
        <Navigation location={location} onLogOut={() => void logOut()} />
        <main id="main" ref={main} tabIndex={-1}>
          <View location={location} />
        </main>
      </div>
      <Announcements />
    </>
  );
}

function View({ location }: { readonly location: PageLocation }): JSX.Element {
  const [section, first, part, name, action] = location.parts;
  if (section === undefined || (section === "calls" && first === undefined)) {
    return <RangeView View={section === undefined ? Overview : CallsView} location={location} />;
  }
  if (section === "calls" && first !== undefined) return <CallView key={first} id={first} />;
  if (section === "servers" && first !== undefined && name !== undefined) {
    const key = `${first}/${name}`;
    if (action === "edit" && part === "tools") return <EditToolPage key={key} slug={first} name={name} />;
    if (action === "edit" && part === "upstreams") return <EditUpstreamPage key={key} slug={first} name={name} />;
    if (part === "tools") return <ToolPage key={key} slug={first} name={name} location={location} />;
  }
  if (section === "servers" && part === undefined) {
    return first === undefined ? <ServersPage /> : <ServerPage key={first} slug={first} />;
  }
  if (section === "add") return <AddPage location={location} />;
  if (section === "upstreams") return <UpstreamsPage />;
  if (section === "credentials") return <CredentialsView />;
  if (section === "keys") return <KeysPage />;
  if (section === "health") return <HealthPage />;
  return (
    <>
      <ViewHead title="Not found" note="There is no view at this address" />
      <p>
        <Link href="/" class="button button-primary">
          Go to the overview
        </Link>
      </p>
    </>
  );
}

/** A view of a time span. It waits until it is known which one fits, so that nothing is drawn twice. */
function RangeView(props: {
  readonly View: (props: { readonly location: RangeLocation }) => JSX.Element;
  readonly location: PageLocation;
}): JSX.Element {
  const { View: Shown, location } = props;
  const fitting = useFittingSpan();
  if (fitting === undefined) return <Waiting error={undefined} />;
  return <Shown location={{ ...location, fitting }} />;
}

function titleOf({ parts }: PageLocation): string {
  const [section = "overview", name] = parts;
  const title = `${section[0]?.toUpperCase() ?? ""}${section.slice(1)}`;
  return name === undefined ? title : `${parts.at(-1) ?? name} · ${title}`;
}
