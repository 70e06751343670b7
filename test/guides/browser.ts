/** Stands in for the user's browser: `browser.ts URL` logs in at a page, and goes where that leads. */
import { logIn } from "../../packages/client/test/auth/lab/identity-provider.ts";

const [url = ""] = process.argv.slice(2);
await fetch(await logIn(url, "ada"));
