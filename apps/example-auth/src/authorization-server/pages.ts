/** The pages that people see. They run no script, and load nothing. */
import type { ServerResponse } from "node:http";

/** What a page asks a person to decide. */
export interface ConsentQuestion {
  /** The program that asks, in its own words. */
  readonly program: string;
  /** Where the answer goes to. */
  readonly redirectUri: URL;
  readonly account: string;
  /** What it may do, in words. */
  readonly permissions: readonly string[];
  /** Where the decision is posted to. */
  readonly action: string;
}

/** Asks whether a program may act for a person. */
export function sendConsentPage(response: ServerResponse, question: ConsentQuestion): void {
  const { program, redirectUri, account, permissions, action } = question;
  // The decision is answered with a redirect to the program, which browsers count among the targets of the form.
  const targets = `'self' ${redirectUri.origin === "null" ? redirectUri.protocol : redirectUri.origin}`;
  const items = permissions.map((permission) => `<li>${escape(permission)}</li>`).join("");
  sendPage(
    response,
    200,
    targets,
    `<h1>Let ${escape(program)} in?</h1>
<p>You are logged in as <strong>${escape(account)}</strong>. A program that calls itself <strong>${escape(program)}</strong> wants to</p>
<ul>${items}</ul>
<p>It runs at <strong>${escape(redirectUri.host || redirectUri.protocol)}</strong>. If you did not start it, say no.</p>
<form method="post" action="${escape(action)}">
<button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button>
</form>`,
  );
}

/** Says that a login cannot go on. The reason is for the operator, and not shown. */
export function sendProblemPage(response: ServerResponse, status: number, advice: string): void {
  sendPage(response, status, "'none'", `<h1>This did not work</h1><p>${escape(advice)}</p>`);
}

function sendPage(response: ServerResponse, status: number, formTargets: string, body: string): void {
  response
    .writeHead(status, {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      // No frames: a page around this one could steal the click.
      "content-security-policy": `default-src 'none'; form-action ${formTargets}; frame-ancestors 'none'; base-uri 'none'`,
    })
    .end(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Log in</title><body>${body}</body></html>`);
}

/** Names of programs come from whoever registers one. */
function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
