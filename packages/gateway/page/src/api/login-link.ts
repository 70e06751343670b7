import { change } from "./client.ts";

/**
 * Logs in with the code of a link that the gateway has printed: `#login=…`. The address loses the code first, so that neither the
 * history nor a copied address has it. A code that is not good changes nothing: the page asks for the token then.
 */
export async function logInByLink(): Promise<void> {
  const code = /^#login=([\w-]+)$/.exec(location.hash)?.[1];
  if (code === undefined) return;
  history.replaceState(null, "", `${location.pathname}${location.search}`);
  await change("POST", "session", { code }).catch(() => undefined);
}
