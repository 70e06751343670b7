import { spawn } from "node:child_process";
import { AuthError } from "@toolwire/protocol";
import { isSecureUrl } from "../network/zones.ts";

/** A program, and its arguments. */
export interface OpenCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * The program that opens a URL in the user's browser. No shell is involved on any platform, and the URL is written anew from
 * its parts, so nothing in it can become a command, an option or another scheme: servers choose it.
 */
export function openCommand(href: string | URL, platform: NodeJS.Platform = process.platform): OpenCommand {
  const url = checkBrowserUrl(href);
  if (platform === "darwin") return { command: "open", args: [url.href] };
  if (platform === "win32") return { command: "rundll32", args: ["url.dll,FileProtocolHandler", url.href] };
  return { command: "xdg-open", args: [url.href] };
}

/** Reads a URL that a browser may be sent to: https, or http on this machine. */
export function checkBrowserUrl(href: string | URL): URL {
  const text = String(href);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && isSecureUrl(url)) return url;
  throw new AuthError(
    "INSECURE_URL",
    "The page for the login must be an https URL, or an http URL of this machine. It was not opened.",
  );
}

/** Whether a page that is opened here can be seen by the user: not over SSH, and not without a display. */
export function hasBrowser(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): boolean {
  if (environment["SSH_CONNECTION"] !== undefined || environment["SSH_TTY"] !== undefined) return false;
  if (platform === "darwin" || platform === "win32") return true;
  return environment["DISPLAY"] !== undefined || environment["WAYLAND_DISPLAY"] !== undefined;
}

/** Opens a URL in the user's browser. Resolves to whether a program for that was found. */
export function openBrowser(url: URL): Promise<boolean> {
  const { command, args } = openCommand(url);
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      shell: false,
      stdio: "ignore",
      detached: true,
      windowsVerbatimArguments: false,
    });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}
