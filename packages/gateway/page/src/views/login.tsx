import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { change, messageOf } from "../api/client.ts";
import { BrandMark } from "../controls/brand-mark.tsx";
import { Field } from "../controls/field.tsx";
import { Notice } from "../controls/panel.tsx";

/** Why a login at the identity provider has failed, by the code in the address. */
const FAILURES: { readonly [code: string]: string } = {
  expired: "The login took too long, was finished already, or was begun elsewhere. Log in again.",
  failed: "The login failed. The log of the gateway has the reason.",
  not_allowed: "You are logged in there, but you may not use this page. Ask the operator of the gateway.",
  unavailable: "The identity provider cannot be reached. Try again later.",
};

/** Asks for a login at the identity provider, if there is one, or for the admin token, once. */
export function LoginView({
  provider,
  problem,
  onLogin,
}: {
  /** The name of the identity provider. */
  readonly provider: string | undefined;
  /** Why the link that was opened has not logged in. */
  readonly problem: string | undefined;
  readonly onLogin: () => void;
}): JSX.Element {
  const [token, setToken] = useState("");
  const [error, setError] = useState<string | undefined>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await change("POST", "session", { token: token.trim() });
      onLogin();
    } catch (failure) {
      setError(messageOf(failure));
      setBusy(false);
    }
  };
  const failure = problem ?? FAILURES[new URLSearchParams(location.search).get("login") ?? ""];
  return (
    <main class="login">
      <form class="login-card" onSubmit={(event) => void submit(event)}>
        <BrandMark class="login-mark" />
        <h1>Toolwire gateway</h1>
        {failure === undefined ? null : <Notice tone="bad">{failure}</Notice>}
        {provider === undefined ? null : (
          <a class="button button-primary" href={`/login/start?next=${encodeURIComponent(viewPath())}`}>
            Log in with {provider}
          </a>
        )}
        <p class="muted">
          Log in with the admin token: <code>admin.token</code> of the configuration, or the variable{" "}
          <code>GATEWAY_ADMIN_TOKEN</code> that the gateway was started with. On a terminal, <code>serve</code> prints a
          link that logs in.
        </p>
        <Field label="Admin token" error={error} isRequired>
          {(attributes) => (
            <input
              {...attributes}
              type="password"
              name="token"
              autocomplete="current-password"
              required
              value={token}
              onInput={({ currentTarget }) => setToken(currentTarget.value)}
            />
          )}
        </Field>
        <button type="submit" class={provider === undefined ? "button button-primary" : "button"} disabled={isBusy}>
          Log in
        </button>
      </form>
    </main>
  );
}

/** The view that the address names, to come back to. */
function viewPath(): string {
  const url = new URL(location.href);
  url.searchParams.delete("login");
  return url.pathname + url.search;
}
