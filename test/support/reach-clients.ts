/** The routes of the apps that people sign in to, written by hand as those of reach.ts. */
export const CLIENTS = [
  "POST /platform/clients",
  "GET /platform/clients",
  "GET /platform/clients/:id",
  "PATCH /platform/clients/:id",
  "DELETE /platform/clients/:id",
  "POST /platform/clients/:id/secret",
  "DELETE /platform/clients/:id/secret/previous",
  "POST /platform/clients/:id/revoke",
  "POST /platform/resources",
  "GET /platform/resources",
  "GET /platform/resources/:id",
  "PATCH /platform/resources/:id",
  "DELETE /platform/resources/:id",
  "POST /platform/resources/:id/secret",
];

/** The same for a tenant's own. */
export const CLIENTS_OF_TENANT = [
  "POST /tenant/clients",
  "GET /tenant/clients",
  "GET /tenant/clients/:id",
  "PATCH /tenant/clients/:id",
  "DELETE /tenant/clients/:id",
  "POST /tenant/clients/:id/secret",
  "DELETE /tenant/clients/:id/secret/previous",
  "POST /tenant/clients/:id/revoke",
  "POST /tenant/resources",
  "GET /tenant/resources",
  "GET /tenant/resources/:id",
  "PATCH /tenant/resources/:id",
  "DELETE /tenant/resources/:id",
  "POST /tenant/resources/:id/secret",
];

export const APPS = ["GET /auth/apps", "DELETE /auth/apps/:id"];
export const APPS_OF_TENANT = ["GET /tenant/apps", "PUT /tenant/apps/:client"];
export const APPS_OF_PLATFORM = ["GET /platform/apps", "PUT /platform/apps/:client"];

/** What the routes of a tenant require. */
export const NEEDS_OF_CLIENTS = Object.fromEntries(
  [...APPS_OF_TENANT, ...CLIENTS_OF_TENANT].map((route) => [route, { permission: "client.manage" as const }]),
);

export const NEW_CLIENT = { name: "n", redirectUrls: ["https://shop.example/a"] };
