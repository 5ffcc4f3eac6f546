/** The routes of sign-on, written by hand as those of reach.ts. */
export const DOMAINS = [
  "GET /tenant/domains",
  "POST /tenant/domains",
  "POST /tenant/domains/:domain/check",
  "DELETE /tenant/domains/:domain",
];

export const DOMAINS_OF_PLATFORM = [
  "GET /platform/tenants/:tenant/domains",
  "POST /platform/tenants/:tenant/domains",
  "POST /platform/tenants/:tenant/domains/:domain/check",
  "DELETE /platform/tenants/:tenant/domains/:domain",
];
