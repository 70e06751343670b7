/**
 * Logins and stores for browsers: by leaving the page, in a window, in the browser's database.
 *
 * @packageDocumentation
 */
export { indexedDbStore } from "./indexed-db-store.ts";
export { completePopup, popupLogin, type PopupLoginOptions } from "./popup-login.ts";
export { completeLogin, redirectLogin, type RedirectLoginOptions } from "./redirect-login.ts";
