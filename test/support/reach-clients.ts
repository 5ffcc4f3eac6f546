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

export const APPS = ["GET /auth/apps", "DELETE /auth/apps/:id"];
export const APPS_OF_TENANT = ["GET /tenant/apps", "PUT /tenant/apps/:client"];
export const APPS_OF_PLATFORM = ["GET /platform/apps", "PUT /platform/apps/:client"];
