/** The routes of connections to identity providers, by who reaches them. */
import { SETUP_LINKS, SETUP_LINKS_OF_PLATFORM } from "./reach-sign-on";

const CALLS = [
  "POST ",
  "GET ",
  "GET /:id",
  "PATCH /:id",
  "DELETE /:id",
  "POST /:id/activate",
  "POST /:id/disable",
  "POST /:id/test",
  "GET /:id/traces",
  "GET /:id/traces/:trace",
  "POST /:id/scim-tokens",
  "GET /:id/scim-tokens",
  "DELETE /:id/scim-tokens/:token",
  "GET /:id/people",
  "POST /:id/people/:person/release",
  "POST /:id/roles/preview",
] as const;

const below = (base: string) => CALLS.map((call) => call.replace(" ", ` ${base}`));

export const CONNECTIONS: readonly string[] = below("/tenant/connections");
export const CONNECTIONS_OF_PLATFORM: readonly string[] = below("/platform/tenants/:tenant/connections");

/** Those that need no session. */
export const SIGN_ON: readonly string[] = [
  "GET /auth/sign-on",
  "GET /auth/sign-on/:connection/initiate",
  "POST /auth/sign-on/:connection/initiate",
  "GET /auth/sign-on/:connection/callback",
  "POST /auth/sign-on/:connection/acs",
  "GET /auth/sign-on/:connection/finish",
  "POST /auth/sign-on/:connection/logout",
  "POST /auth/sign-on/discover",
  "POST /auth/sign-on/mail",
];

/** What each of these and of the calls about domains needs of a session. */
export const NEEDS_OF_SIGN_ON: Readonly<Record<string, { permission?: "member.manage"; owner?: true }>> = {
  "GET /tenant/domains": { permission: "member.manage" },
  "POST /tenant/domains": { owner: true },
  "POST /tenant/domains/:domain/check": { owner: true },
  "DELETE /tenant/domains/:domain": { owner: true },
  ...Object.fromEntries(
    [...CONNECTIONS, ...SETUP_LINKS].map((route) => [
      route,
      route.startsWith("GET ") || route.endsWith("/preview") ? { permission: "member.manage" } : { owner: true },
    ]),
  ),
  ...Object.fromEntries([...CONNECTIONS_OF_PLATFORM, ...SETUP_LINKS_OF_PLATFORM].map((route) => [route, {}])),
};
