import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SearchIndex } from "../../src/search/search-index.ts";
import type { SearchableTool } from "../../src/search/searchable-tool.ts";

/** A tool of a document. */
function operation(method: string, path: string, name: string, more: Partial<SearchableTool> = {}): SearchableTool {
  return { name, ...more, hints: { method: method as "GET", path, ...more.hints } };
}

const SHOP = [
  operation("GET", "/v1/customers", "list_customers"),
  operation("POST", "/v1/customers", "create_customer"),
  operation("GET", "/v1/customers/search", "search_customers"),
  operation("GET", "/v1/customers/{id}", "get_customer"),
  operation("POST", "/v1/customers/{id}", "update_customer"),
  operation("DELETE", "/v1/customers/{id}", "delete_customer"),
  operation("POST", "/v1/customers/{id}/bank_accounts", "create_customer_bank_account"),
  operation("POST", "/v1/orders/{id}/cancel", "cancel_order"),
  operation("PATCH", "/v1/orders/{id}", "update_order"),
  operation("POST", "/v1/refunds", "create_refund", { description: "Gives back what a customer paid" }),
  operation("GET", "/v1/old/refunds", "list_old_refunds", { hints: { isDeprecated: true } }),
  operation("GET", "/v1/refunds", "list_refunds"),
  operation("PUT", "/v1/configmaps/{id}", "replace_config_map"),
  operation("GET", "/v1/repos/{owner}/{repo}/pulls/{n}/reviews", "list_pull_reviews", {
    title: "List reviews for a pull request",
  }),
  { name: "getWeather", description: "Current weather: rain, wind" },
  { name: "erase_everything", description: "Deletes all customers", annotations: { destructiveHint: true } },
];

async function search(query: string, limit = 10, tools: readonly SearchableTool[] = SHOP): Promise<string[]> {
  const index = await SearchIndex.build(tools);
  return index.search(query, limit).map(({ name }) => name);
}

describe("the search", () => {
  it.each([
    // The verbs of people mean methods.
    ["create customer", "create_customer"],
    ["add a new customer", "create_customer"],
    ["edit the customer", "update_customer"],
    ["rename customer", "update_customer"],
    ["remove a customer", "delete_customer"],
    ["show a customer", "get_customer"],
    ["search customers", "search_customers"],
    ["which customers are there", "list_customers"],
    // An action at the end of a path is its verb.
    ["cancel my order", "cancel_order"],
    ["change an order", "update_order"],
    // A noun before an article is a verb.
    ["refund a customer", "create_refund"],
    ["refunds", "list_refunds"],
    // A thing of a thing is found by its own name.
    ["create a bank account", "create_customer_bank_account"],
    // Other forms and other words.
    ["who reviewed this PR", "list_pull_reviews"],
    ["edit a configmap", "replace_config_map"],
    ["cutomer", "list_customers"],
    ["custom", "list_customers"],
    ["GET WEATHER", "getWeather"],
    ["rain", "getWeather"],
    ["weath", "getWeather"],
  ])("finds for %s the tool %s first", async (query, name) => {
    expect((await search(query))[0]).toBe(name);
  });

  it("takes a phrase that is also the name of a tool for both", async () => {
    const tools = [{ name: "whoami" }, { name: "get_profile", description: "Shows the user" }, { name: "plan" }];
    expect((await search("whoami", 10, tools)).toSorted()).toEqual(["get_profile", "whoami"]);
    expect(await search("plan whoami", 10, tools)).toContain("whoami");
  });

  it("gives no more than wanted, and nothing if no word fits", async () => {
    expect(await search("customer", 2)).toHaveLength(2);
    expect(await search("zebra")).toEqual([]);
    expect(await search("!? the")).toEqual([]);
    expect(await search("customer", 10, [])).toEqual([]);
  });

  it("ranks deprecated tools behind others", async () => {
    const found = await search("list refunds");
    expect(found.indexOf("list_old_refunds")).toBeGreaterThan(found.indexOf("list_refunds"));
  });

  it("gives the same answer whatever the tools are called like that objects have", async () => {
    const tools = ["constructor", "__proto__", "toString", "hasOwnProperty"].map((name) => ({ name }));
    expect(await search("constructor", 10, tools)).toEqual(["constructor"]);
    expect(await search("proto", 10, tools)).toEqual(["__proto__"]);
  });

  it("answers any question over any tools with tools that it has, each once", async () => {
    const words = fc.array(fc.constantFrom("list", "order", "the", "orders", "cancel", "x", "ünï", "__proto__"), {
      maxLength: 6,
    });
    const text = fc.oneof(
      words.map((each) => each.join(" ")),
      fc.string({ maxLength: 80 }),
    );
    const tool = fc.record({
      name: text,
      title: fc.option(text, { nil: undefined }),
      description: fc.option(text, { nil: undefined }),
      hints: fc.option(
        fc.record({ method: fc.constantFrom("GET" as const, "POST" as const), path: text.map((each) => `/${each}`) }),
        { nil: undefined },
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(tool, { maxLength: 8 }), text, async (tools, query) => {
        const found = (await SearchIndex.build(tools)).search(query, 5);
        expect(found.length).toBeLessThanOrEqual(5);
        expect(new Set(found).size).toBe(found.length);
        for (const each of found) expect(tools).toContain(each);
      }),
      { numRuns: 50 },
    );
  });
});
