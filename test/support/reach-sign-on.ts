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

export const SETUP_LINKS = ["GET /tenant/setup-links", "POST /tenant/setup-links", "DELETE /tenant/setup-links/:id"];

export const SETUP_LINKS_OF_PLATFORM = [
  "GET /platform/tenants/:tenant/setup-links",
  "POST /platform/tenants/:tenant/setup-links",
  "DELETE /platform/tenants/:tenant/setup-links/:id",
];
