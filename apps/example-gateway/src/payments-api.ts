import { simulateApi, type ApiResponse, type SimulatedApi } from "./simulated-api.ts";

/** A customer as the API returns it. */
interface Customer {
  readonly id: string;
  readonly object: "customer";
  readonly email: string;
  readonly name: string | null;
  readonly created: number;
}

/** The most customers that are kept. */
const MAX_CUSTOMERS = 1000;

/** When the first customer was made, in seconds since 1970. Each further one is made a minute later, so that runs are alike. */
const FIRST_CREATED = 1_710_755_200;

/**
 * Starts an API of payments: `POST /v1/customers` with a form, as Stripe's API has it, and `GET /v1/customers`. Callers need
 * `Authorization: Bearer {key}`.
 */
export function startPaymentsApi(key: string): Promise<SimulatedApi> {
  const customers: Customer[] = [];
  return simulateApi(({ method, url, headers, body }) => {
    if (headers.authorization !== `Bearer ${key}`) return fail(401, "Invalid API Key provided");
    if (url.pathname !== "/v1/customers") return fail(404, `Unrecognized request URL (${method}: ${url.pathname})`);
    if (method === "GET") return listCustomers(customers, url.searchParams);
    if (method !== "POST") return fail(405, "Only GET and POST are allowed");
    const form = new URLSearchParams(body);
    const email = form.get("email");
    if (email === null || !email.includes("@")) return fail(400, "Invalid email address");
    const customer: Customer = {
      id: `cus_${(customers.length + 1).toString().padStart(6, "0")}`,
      object: "customer",
      email,
      name: form.get("name"),
      created: FIRST_CREATED + customers.length * 60,
    };
    if (customers.length >= MAX_CUSTOMERS) return fail(429, "Too many customers for a demonstration");
    customers.push(customer);
    return { status: 200, body: customer };
  });
}

function listCustomers(customers: readonly Customer[], query: URLSearchParams): ApiResponse {
  const email = query.get("email");
  const limit = Number(query.get("limit") ?? 10);
  const found = customers.filter((customer) => email === null || customer.email === email);
  return { status: 200, body: { object: "list", data: found.slice(0, limit), has_more: found.length > limit } };
}

function fail(status: number, message: string): ApiResponse {
  return { status, body: { error: { message, type: "invalid_request_error" } } };
}
