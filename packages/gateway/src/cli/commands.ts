import { add } from "./add.ts";
import { call } from "./call.ts";
import { calls } from "./calls.ts";
import { check } from "./check.ts";
import type { Command } from "./command.ts";
import { exportServers } from "./export.ts";
import { importAny } from "./import.ts";
import { init } from "./init.ts";
import { key } from "./key.ts";
import { login } from "./login.ts";
import { secret } from "./secret.ts";
import { serve } from "./serve.ts";
import { tools } from "./tools.ts";

/** All verbs, in the order in which they are listed. */
export const COMMANDS: readonly Command[] = [
  init,
  serve,
  check,
  add,
  importAny,
  exportServers,
  tools,
  call,
  key,
  secret,
  login,
  calls,
];
