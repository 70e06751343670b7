// Says which tests `npm test` has left out, and the commands that run them: nobody should take a quick success for a whole one.

const LEFT_OUT = [
  ["test:limits", "growth of work, limits, killed processes, workers on all cores, guides that are followed: minutes"],
  ["engines", "clusters on a real Redis and a real Postgres"],
  ["cluster:short", "killed, stopped and restarted servers behind a load balancer, under load"],
  ["tasks:short", "killed workers in the middle of tasks, on real stores"],
  ["postgres", "the storage of the gateway on a real Postgres"],
  ["page", "the page of the gateway in a browser"],
  ["views", "views of tools in a browser, under attack"],
  ["logins", "logins in a browser"],
  ["conformance", "the official conformance suite"],
  ["interop", "SDKs of others"],
  ["runtimes", "other versions of Node, Bun, Deno and browsers"],
  ["soak:short", "load under faults"],
];

console.log("\nLeft out, because they take long or need more than Node. `.ci/run` runs them all:");
for (const [name, what] of LEFT_OUT) console.log(`  npm run ${(name ?? "").padEnd(14)} ${what}`);
