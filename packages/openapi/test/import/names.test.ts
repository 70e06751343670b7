import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ArgumentWish, nameArguments, nameTools, type Nameable } from "../../src/import/names.ts";

const LEGAL_TOOL = /^[a-zA-Z0-9_.-]{1,56}$/;
const LEGAL_ARGUMENT = /^[a-zA-Z0-9_.-]{1,64}$/;

const named = (path: string, id?: string, chosen?: string, method = "GET"): Nameable => ({ method, path, id, chosen });

describe("names of tools", () => {
  it("are the operation id, or method and path, in legal characters", () => {
    expect(
      nameTools(
        [named("/a", "repos/list-for-user"), named("/users/{id}/repos"), named("/b", "ünï_cödé")],
        "operationId",
      ),
    ).toEqual(["repos_list-for-user", "get_users_id_repos", "n__c_d"]);
  });

  it("get a hash if they are too long or wanted twice, and keep their beginning", () => {
    const names = nameTools([named("/b", "same"), named("/a", "same"), named("/c", "x".repeat(80))], "readable");
    const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 6);
    expect(names).toEqual([`same_${hash("GET /b")}`, "same", expect.stringMatching(/^x{49}_[0-9a-f]{6}$/)]);
  });

  it("leave a name to the user who has chosen it", () => {
    expect(nameTools([named("/a", "list"), named("/b", "other", "list")], "operationId")).toEqual([
      expect.stringMatching(/^list_[0-9a-f]{6}$/),
      "list",
    ]);
  });

  it("are legal, different, and the same in any order and any selection of which they are part", () => {
    const operation = fc.record({
      method: fc.constantFrom("GET", "POST"),
      path: fc.string({ maxLength: 6 }).map((path) => `/${path}`),
      id: fc.option(
        fc.oneof(fc.string({ maxLength: 70 }), fc.constantFrom("a", "a_b", "a/b", "getA", "a.get", "__proto__")),
        { nil: undefined },
      ),
    });
    const operations = fc.uniqueArray(operation, {
      selector: ({ method, path }) => `${method} ${path}`,
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        operations.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        fc.constantFrom("readable", "operationId", "path"),
        ([all, shuffled], style) => {
          const names = nameTools(all, style);
          for (const name of names) expect(name).toMatch(LEGAL_TOOL);
          expect(new Set(names).size).toBe(names.length);
          const again = nameTools(shuffled, style);
          expect(shuffled.map((each) => names[all.indexOf(each)])).toEqual(again);
        },
      ),
    );
  });

  it("stay the same when operations with longer paths are added", () => {
    const id = fc.constantFrom("list", "a/list", "listA", undefined);
    const segment = fc.constantFrom("as", "bs", "{id}");
    const operation = fc.record({ method: fc.constantFrom("GET", "POST"), id });
    const level = (size: number) =>
      fc.uniqueArray(
        fc.record({ of: operation, path: fc.array(segment, { minLength: size, maxLength: size }) }).map((each) => ({
          ...each.of,
          path: `/${each.path.join("/")}`,
        })),
        { selector: ({ method, path }) => `${method} ${path}`, maxLength: 6 },
      );
    fc.assert(
      fc.property(level(2), level(3), (old, added) => {
        expect(nameTools([...added, ...old], "readable").slice(added.length)).toEqual(nameTools(old, "readable"));
      }),
    );
  });
});

describe("readable names", () => {
  it.each([
    // Ids that only repeat method and path.
    ["PostCustomers", "POST", "/v1/customers", "create_customer"],
    ["GetCustomers", "GET", "/v1/customers", "list_customers"],
    ["GetCustomersCustomer", "GET", "/v1/customers/{customer}", "get_customer"],
    ["PostCustomersCustomer", "POST", "/v1/customers/{customer}", "update_customer"],
    ["DeleteCustomersCustomer", "DELETE", "/v1/customers/{customer}", "delete_customer"],
    [
      "PostCustomersCustomerBankAccounts",
      "POST",
      "/v1/customers/{customer}/bank_accounts",
      "create_customer_bank_account",
    ],
    ["PostChargesChargeDisputeClose", "POST", "/v1/charges/{charge}/dispute/close", "close_charge_dispute"],
    ["GetInvoicesSearch", "GET", "/v1/invoices/search", "search_invoices"],
    ["put_files_id", "PUT", "/files/{file_id}", "replace_file"],
    ["getStatuses", "GET", "/status", "list_statuses"],
    // Ids with a group before the verb.
    ["issues/create", "POST", "/repos/{owner}/{repo}/issues", "create_issue"],
    ["issues/list", "GET", "/issues", "list_issues"],
    ["repos/list-for-user", "GET", "/users/{username}/repos", "list_repos_for_user"],
    ["issues/add-labels", "POST", "/issues/{number}/labels", "add_issue_labels"],
    ["dependabot/create-or-update-org-secret", "PUT", "/x/{y}", "create_or_update_dependabot_org_secret"],
    ["users/get-authenticated", "GET", "/user", "get_authenticated_user"],
    ["ServiceInformation_GetServiceInformation", "GET", "/x", "get_service_information"],
    ["search/code", "GET", "/search/code", "search_code"],
    // Ids in words.
    [
      "readCoreV1NamespacedSecret",
      "GET",
      "/api/v1/namespaces/{namespace}/secrets/{name}",
      "read_core_v1_namespaced_secret",
    ],
    ["get-an-audiobook", "GET", "/audiobooks/{id}", "get_audiobook"],
    ["accountsBalanceGet", "POST", "/accounts/balance/get", "get_accounts_balance"],
    ["getOAuthURLs", "GET", "/x", "get_oauth_urls"],
    // No ids.
    [undefined, "GET", "/users/{id}/repos", "list_user_repos"],
    [undefined, "GET", "/gists/{gist_id}/{sha}", "get_gist_by_sha"],
    [undefined, "GET", "/repos/{owner}/{repo}", "get_repo"],
    [undefined, "PATCH", "/2010-04-01/Accounts/{Sid}.json", "update_account"],
    [undefined, "GET", "/account", "get_account"],
    [undefined, "DELETE", "/", "delete_root"],
  ])("of the operation %s, %s %s, is %s", (id, method, path, name) => {
    expect(nameTools([{ id, method, path }], "readable")).toEqual([name]);
  });
});

describe("names of arguments", () => {
  it.each<[string, [ArgumentWish["place"], string][], string[]]>([
    [
      "stay as they are",
      [
        ["path", "id"],
        ["query", "page.size"],
      ],
      ["id", "page.size"],
    ],
    [
      "stay with the body if others want them",
      [
        ["path", "id"],
        ["query", "id"],
        ["body", "id"],
      ],
      ["id_path", "id_query", "id"],
    ],
    [
      "stay with the path if there is no body",
      [
        ["query", "id"],
        ["path", "id"],
        ["cookie", "id"],
      ],
      ["id_query", "id", "id_cookie"],
    ],
    [
      "become legal",
      [
        ["query", "filter[name]"],
        ["query", "StartTime<"],
        ["header", "X Y"],
      ],
      ["filter_name", "StartTime", "X_Y"],
    ],
    [
      "give way to names that were legal before",
      [
        ["query", "a[b]"],
        ["query", "a_b"],
      ],
      ["a_b_query", "a_b"],
    ],
    [
      "get further underscores",
      [
        ["query", "a[b]"],
        ["query", "a_b"],
        ["query", "a_b_query"],
      ],
      ["a_b_query_", "a_b", "a_b_query"],
    ],
    [
      "are made up if nothing is left of them",
      [
        ["query", "名前"],
        ["query", "[]"],
      ],
      ["unnamed_query", "unnamed"],
    ],
  ])("%s", (_, wishes, names) => {
    expect(nameArguments(wishes.map(([place, name]) => ({ place, name })))).toEqual(names);
  });

  it("are legal, different, and the same in any order", () => {
    const wish = fc.record<ArgumentWish>({
      place: fc.constantFrom("body", "path", "query", "header", "cookie"),
      name: fc.oneof(
        fc.string({ maxLength: 80 }),
        fc.constantFrom("a", "a_query", "a[]", "[a]", "__proto__", "x".repeat(64), "x".repeat(65)),
      ),
    });
    const wishes = fc.uniqueArray(wish, { selector: ({ place, name }) => `${place} ${name}`, maxLength: 15 });
    fc.assert(
      fc.property(
        wishes.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => {
          const names = nameArguments(all);
          for (const name of names) expect(name).toMatch(LEGAL_ARGUMENT);
          expect(new Set(names).size).toBe(names.length);
          expect(nameArguments(shuffled)).toEqual(shuffled.map((each) => names[all.indexOf(each)]));
        },
      ),
    );
  });
});
