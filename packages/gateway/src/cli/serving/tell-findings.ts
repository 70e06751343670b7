import { describeGroup, groupFindings, lintTools, poisonRules } from "@toolwire/lint";
import type { Gateway, GatewayEvent } from "../../gateway.ts";

/**
 * Says once what APIs refuse in the tools of a configuration and its documents, and which texts deceive, after the gateway has begun to
 * serve. Tools of upstreams are looked at when they are listed; `check` says more.
 */
export function tellFindings(gateway: Gateway, tell: (event: GatewayEvent) => void): void {
  // Reading a thousand tools takes a while, for which no caller should wait at the start.
  setImmediate(() => {
    for (const { slug, tools } of gateway.servers()) {
      const listed = tools.filter(({ source, status }) => source !== "mcp" && status === "active");
      const findings = lintTools(listed.map(({ listing }) => listing));
      for (const group of groupFindings(findings)) {
        const isPoison = poisonRules.some(({ id }) => id === group.rule);
        if (!isPoison && group.severity !== "error") continue;
        tell({ level: isPoison ? "warning" : "info", server: slug, message: `lint: ${describeGroup(group)}` });
      }
    }
  });
}
