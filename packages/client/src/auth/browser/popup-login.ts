import { AuthError } from "@toolwire/protocol";
import type { Login } from "../login/login.ts";
import { type OpenedWindow, page } from "./page.ts";
import { checkPageUrl } from "./pending-logins.ts";

/** The options of {@link popupLogin}. */
export interface PopupLoginOptions {
  /** The page of this application that the window ends at. It calls {@link completePopup}. */
  readonly redirectUri: string;
  /** The size and place of the window, as `window.open` takes them. Default: 480 by 720 pixels. */
  readonly features?: string | undefined;
}

/** The channel on which the window tells its response: pages of other origins cannot listen or speak there. */
const channelName = (state: string): string => `toolwire-login:${state}`;

/** How often it is checked whether the user has closed the window. */
const CLOSED_CHECK_MS = 500;

/** Logs in in a window of its own, so that the page stays. Call `connect` or `login()` in the handler of a click: browsers block other windows. */
export function popupLogin({ redirectUri, features = "popup,width=480,height=720" }: PopupLoginOptions): Login {
  return {
    start() {
      // Opened now, while the browser still knows that the user has clicked.
      const popup = page().open("about:blank", "_blank", features);
      return {
        redirectUri: new URL(redirectUri, page().location.href).href,
        authorize: (url, { state, signal }) => waitFor(popup, checkPageUrl(url), state, signal),
        close: () => popup?.close(),
      };
    },
  };
}

function waitFor(popup: OpenedWindow | null, url: URL, state: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const channel = new BroadcastChannel(channelName(state));
    const end = (): void => {
      channel.close();
      clearInterval(timer);
      popup?.close();
    };
    const fail = (error: Error): void => {
      end();
      reject(error);
    };
    channel.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      if (typeof data !== "string") return;
      end();
      resolve(data);
    });
    // A window that goes to a page in another process seems closed for a moment, so it is looked at twice. One whose page cuts
    // the tie to this page (`Cross-Origin-Opener-Policy`) seems closed for good, but the user is there and not here.
    let wasClosed = false;
    const timer = setInterval(() => {
      const isClosed = popup?.closed === true && page().document.hasFocus();
      if (isClosed && wasClosed) fail(new AuthError("LOGIN_CANCELLED", "The window of the login was closed."));
      wasClosed = isClosed;
    }, CLOSED_CHECK_MS);
    signal.addEventListener("abort", () => fail(signal.reason as Error), { once: true });
    if (popup === null) {
      fail(
        new AuthError(
          "LOGIN_CANCELLED",
          "The browser blocked the window of the login. Log in in the handler of a click.",
        ),
      );
    } else {
      // A server can name any page, and a page can send the one that opened it elsewhere.
      popup.opener = null;
      popup.location.href = url.href;
    }
  });
}

/** Tells the page that opened this window how the login ended, and closes the window. Call it on the redirect page. */
export function completePopup(href: string = page().location.href): void {
  const { search, searchParams } = new URL(href);
  const states = searchParams.getAll("state");
  if (states.length !== 1) return;
  const channel = new BroadcastChannel(channelName(states[0]!));
  // Only messages to windows have a target origin: nobody of another origin hears a channel.
  const message = [search] as const;
  channel.postMessage(...message);
  channel.close();
  const { history, location } = page();
  if (href === location.href) history.replaceState(history.state, "", location.pathname);
  page().close();
}
