import { render } from "preact";
import { App } from "./app.tsx";
import { restoreTheme } from "./theme.ts";

restoreTheme();
const place = document.querySelector("#app");
if (place !== null) render(<App />, place);
