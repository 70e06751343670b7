import type { Task } from "./task.ts";

const REPO = { owner: "octo", repo: "hello" };

/** Five tasks of different sizes. */
export const TASKS: readonly Task[] = [
  {
    title: "answer an issue and close it",
    sources: ["github"],
    steps: [
      {
        query: "comment on an issue",
        source: "github",
        key: "POST /repos/{owner}/{repo}/issues/{issue_number}/comments",
        args: { ...REPO, issue_number: 7, body: "Mended in 1.4.1." },
        answer: { id: 991, body: "Mended in 1.4.1.", html_url: "https://example.com/octo/hello/issues/7#991" },
      },
      {
        query: "close issue",
        source: "github",
        key: "PATCH /repos/{owner}/{repo}/issues/{issue_number}",
        args: { ...REPO, issue_number: 7, state: "closed" },
        answer: { number: 7, title: "Crash on start", state: "closed" },
      },
    ],
  },
  {
    title: "find out who reviewed a pull request",
    sources: ["github"],
    steps: [
      {
        query: "list pull requests",
        source: "github",
        key: "GET /repos/{owner}/{repo}/pulls",
        args: { ...REPO, state: "open" },
        answer: {
          items: [
            { number: 12, title: "Faster start" },
            { number: 11, title: "New logo" },
          ],
        },
      },
      {
        query: "reviews of a pull request",
        source: "github",
        key: "GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews",
        args: { ...REPO, pull_number: 12 },
        answer: { items: [{ id: 5, user: "ann", state: "APPROVED" }] },
      },
    ],
  },
  {
    title: "bill a new customer",
    sources: ["stripe"],
    steps: [
      {
        query: "create customer",
        source: "stripe",
        key: "POST /v1/customers",
        args: { name: "Ann", email: "ann@example.com" },
        answer: { id: "cus_1", name: "Ann" },
      },
      {
        query: "create invoice",
        source: "stripe",
        key: "POST /v1/invoices",
        args: { customer: "cus_1" },
        answer: { id: "in_1", status: "draft" },
      },
      {
        query: "create invoice item",
        source: "stripe",
        key: "POST /v1/invoiceitems",
        args: { customer: "cus_1", invoice: "in_1", amount: 4_900, currency: "eur" },
        answer: { id: "ii_1", amount: 4_900 },
      },
      {
        query: "send an invoice",
        source: "stripe",
        key: "POST /v1/invoices/{invoice}/send",
        args: { invoice: "in_1" },
        answer: { id: "in_1", status: "open" },
      },
    ],
  },
  {
    title: "read the log of a failing pod",
    sources: ["kubernetes"],
    steps: [
      {
        query: "list pods in a namespace",
        source: "kubernetes",
        key: "GET /api/v1/namespaces/{namespace}/pods",
        args: { namespace: "shop" },
        answer: {
          items: [
            { name: "web-1", phase: "Running" },
            { name: "web-2", phase: "CrashLoopBackOff" },
          ],
        },
      },
      {
        query: "logs of a pod",
        source: "kubernetes",
        key: "GET /api/v1/namespaces/{namespace}/pods/{name}/log",
        args: { namespace: "shop", name: "web-2", tailLines: 20 },
        answer: { text: "Error: no DATABASE_URL" },
      },
    ],
  },
  {
    title: "turn a ticket into an issue, behind a gateway with three APIs",
    sources: ["github", "stripe", "jira"],
    steps: [
      {
        query: "get jira issue by key",
        source: "jira",
        key: "GET /rest/api/3/issue/{issueIdOrKey}",
        args: { issueIdOrKey: "SUP-12" },
        answer: { key: "SUP-12", summary: "Crash on start", reporter: "bob" },
      },
      {
        query: "create an issue in a github repository",
        source: "github",
        key: "POST /repos/{owner}/{repo}/issues",
        args: { ...REPO, title: "Crash on start", body: "From SUP-12" },
        answer: { number: 8, html_url: "https://example.com/octo/hello/issues/8" },
      },
      {
        query: "add comment to jira issue",
        source: "jira",
        key: "POST /rest/api/3/issue/{issueIdOrKey}/comment",
        args: { issueIdOrKey: "SUP-12", body: { type: "doc", version: 1, content: [] } },
        answer: { id: "10001" },
      },
    ],
  },
];
