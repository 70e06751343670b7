import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { LoginLinkView, LoginsView, UpstreamView } from "../../../src/admin/views.ts";
import { change, messageOf } from "../api/client.ts";
import { usePoll } from "../api/poll.ts";
import { announce } from "../controls/announce.tsx";
import { Confirm } from "../controls/confirm.tsx";
import { Icon } from "../controls/icon.tsx";
import { showHidden } from "../format/hidden-characters.ts";
import { plural } from "../format/numbers.ts";
import { formatFullTime } from "../format/times.ts";

type Login = LoginsView["logins"][number];

/** The logins at an upstream, with a button to end each login, and one to make the login that all callers share. */
export function UpstreamLogins({
  upstream,
  path,
}: {
  readonly upstream: UpstreamView;
  readonly path: string;
}): JSX.Element {
  const { data, refresh } = usePoll<LoginsView>(`${path}/logins`);
  const [ending, setEnding] = useState<Login | undefined>();
  const [link, setLink] = useState<string | undefined>();
  const logins = data?.logins ?? [];
  const isShared = upstream.logins === "shared";
  const makeLink = async (): Promise<void> => {
    try {
      const { url } = await change<LoginLinkView>("POST", `${path}/logins`, {});
      setLink(url);
      announce("The link is below. It works once, for ten minutes.");
    } catch (failure) {
      announce(messageOf(failure));
    }
  };
  return (
    <div class="logins">
      <p class="muted">
        {isShared
          ? logins.length === 0
            ? "Needs the login of an admin, which all callers share."
            : "An admin has logged in for all callers."
          : `Each caller logs in. ${plural(logins.length, "caller")} logged in.`}
      </p>
      {logins.length === 0 ? null : (
        <ul class="login-list">
          {logins.map((login) => (
            <li key={login.principal ?? ""}>
              <b>{nameOf(login)}</b> <span class="muted">since {formatFullTime(login.since)}</span>
              <button type="button" class="button button-quiet" onClick={() => setEnding(login)}>
                Disconnect<span class="visually-hidden"> {nameOf(login)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {isShared ? (
        <button type="button" class="button" onClick={() => void makeLink()}>
          <Icon name="login" /> Log in at {upstream.name}
        </button>
      ) : null}
      {link === undefined ? null : (
        <p>
          <a href={link} target="_blank" rel="noreferrer">
            Open the page on which you log in
          </a>
        </p>
      )}
      {ending === undefined ? null : (
        <Confirm
          title="End this login?"
          text={`The tokens of ${nameOf(ending)} at ${upstream.name} are revoked and forgotten. Calls need a new login.`}
          action="Disconnect"
          run={async () => {
            const query = ending.principal === undefined ? "" : `?principal=${encodeURIComponent(ending.principal)}`;
            await change("DELETE", `${path}/logins${query}`);
            announce("The login is ended.");
            refresh();
          }}
          onClose={() => setEnding(undefined)}
        />
      )}
    </div>
  );
}

function nameOf({ principal }: Login): string {
  return principal === undefined ? "all callers" : showHidden(principal);
}
