import { createHash } from "node:crypto";

/** The question to a person before a login begins. */
export interface ConnectQuestion {
  readonly server: string;
  readonly upstream: string;
  /** The host of the upstream. */
  readonly host: string;
  /** The caller whose calls will use the account; `undefined` if all callers will. */
  readonly principal: string | undefined;
  readonly ticket: string;
  readonly csrf: string;
}

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:12vh auto;padding:0 1.5rem;color:#1b1f24;background:#fff}" +
  "h1{font-size:1.4rem}dl{display:grid;grid-template-columns:max-content 1fr;gap:.4rem 1.2rem;margin:1.5rem 0}" +
  "dt{color:#57606a}dd{margin:0;font-weight:600;overflow-wrap:anywhere}" +
  "button{font:inherit;padding:.6rem 1.4rem;border:0;border-radius:.4rem;background:#0b57d0;color:#fff;cursor:pointer}" +
  "button:focus-visible{outline:3px solid #8ab4f8;outline-offset:2px}" +
  "@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}dt{color:#9198a1}}";

/** The content policy of the pages: one style, no scripts, no frames. A form leads to the authorization server in the end. */
export const CONNECT_POLICY: string =
  `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; ` +
  "base-uri 'none'; frame-ancestors 'none'";

/** Asks whether an account is to be connected, and to whom. Nothing begins before the button is pressed. */
export function questionPage({ server, upstream, host, principal, ticket, csrf }: ConnectQuestion): string {
  const whose = principal === undefined ? "everybody who may use this server" : describePrincipal(principal);
  return page(
    `Connect ${upstream}`,
    `<p>Calls through this gateway will use the account with which you log in next.</p>
<dl>
<dt>Account at</dt><dd>${escapeText(upstream)} (${escapeText(host)})</dd>
<dt>Used by the server</dt><dd>${escapeText(server)}</dd>
<dt>For the gateway user</dt><dd id="principal">${escapeText(whose)}</dd>
</dl>
<p>Go on only if you have asked for this yourself, and the gateway user is you. If somebody has sent you this link, close this page:
they would get to use your account.</p>
<form method="post">
<input type="hidden" name="ticket" value="${escapeText(ticket)}">
<input type="hidden" name="csrf" value="${escapeText(csrf)}">
<button>Log in and connect</button>
</form>`,
  );
}

/** A principal in words. Those of tokens are a list of the issuer, the subject and the client, as JSON. */
function describePrincipal(id: string): string {
  try {
    const [issuer, subject, client] = JSON.parse(id) as readonly unknown[];
    const name = subject ?? client;
    if (typeof issuer === "string" && typeof name === "string") return `${name} (${issuer})`;
  } catch {
    // The id of a key, or one that an admin has chosen.
  }
  return id;
}

/** Says how it went. */
export function messagePage(title: string, message: string): string {
  return page(title, `<p>${escapeText(message)}</p>`);
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeText(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeText(title)}</h1>
${body}
</main>
</body>
</html>
`;
}

const ESCAPES: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text as HTML shows it. Characters that are not seen, or that turn the direction of writing, are shown as a mark. */
function escapeText(text: string): string {
  return text
    .slice(0, 500)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\u{fffd}")
    .replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}
