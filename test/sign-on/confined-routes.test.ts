/**
 * A session that the tenant's own sign-on has opened is of that tenant alone: its provider must not rule the person,
 * the owners or the service. Every route that takes a session is in one of these lists; a new one fails the test.
 */

import { findTargetHandler } from "hono/utils/handler";
import { describe, expect, test } from "vitest";
import { app } from "../../src/app";
import { docsOf } from "../../src/base/http/route-docs";
import { callersOf, isOpenToConfined } from "../../src/base/operation";
import { call, signUpVerified } from "../support/client";
import { confine } from "../support/confined";
import { reaches } from "../support/reach";
import { CLIENTS_OF_TENANT } from "../support/reach-clients";
import { send } from "../support/routes";

const API = "/api/v1";

/** About the account, owners or the tenant as a whole. */
const REFUSED = [
  "PATCH /auth/me",
  "DELETE /auth/me",
  "POST /auth/change-email",
  "POST /auth/change-email/confirm",
  "POST /auth/switch-tenant",
  "POST /auth/resend-verification",
  "POST /auth/change-password",
  "POST /auth/2fa/enable",
  "POST /auth/2fa/verify",
  "POST /auth/2fa/disable",
  "POST /auth/2fa/recovery-codes",
  "POST /auth/passkeys/options",
  "POST /auth/passkeys",
  "GET /auth/passkeys",
  "PATCH /auth/passkeys/:id",
  "DELETE /auth/passkeys/:id",
  "GET /auth/identities",
  "POST /auth/identities/:id",
  "DELETE /auth/identities/:id",
  "GET /auth/me/export",
  "POST /invitations/accept",
  "DELETE /tenant",
  "GET /tenant/export",
  "GET /tenant/security",
  "PATCH /tenant/security",
];

/** Also refused: the service, the product, and what says who signs in to the tenant. */
const REFUSED_BELOW = /^\w+ \/(operator|platform)\/|^\w+ \/tenant\/(connections|domains|setup-links)(\/|$)/;

/** About the session and the membership; what these show is of the tenant alone. */
const OWN = [
  "GET /auth/me",
  "POST /auth/step-up/options",
  "POST /auth/step-up",
  "POST /auth/logout-all",
  "GET /auth/sessions",
  "DELETE /auth/sessions/:id",
  "GET /auth/me/activity",
  "GET /auth/apps",
  "DELETE /auth/apps/:id",
  "POST /api-keys",
  "GET /api-keys",
  "DELETE /api-keys/:id",
  "GET /tenants",
  "GET /portal-session",
  "DELETE /members/me",
  "PATCH /members/me",
];

/** Data of the tenant, by the role there. Programs reach the rest of it. */
const OF_TENANT = [
  "GET /members",
  "PATCH /members/:userId",
  "DELETE /members/:userId",
  "POST /invitations",
  "GET /invitations",
  "DELETE /invitations/:id",
  "GET /tenant/apps",
  "PUT /tenant/apps/:client",
  ...CLIENTS_OF_TENANT,
  "PATCH /tenant/event-types",
];

/** What the route of the API requires; undefined for one that everybody may call. */
const accessOf = (route: string) =>
  app.routes
    .filter(({ method, path }) => `${method} ${path.slice(API.length)}` === route)
    .map(({ handler }) => docsOf(findTargetHandler(handler))?.access)
    .find((access) => access !== undefined && callersOf(access) !== "anybody");

const routes = [
  ...new Set(
    app.routes
      .filter(({ method, path }) => method !== "ALL" && path.startsWith(`${API}/`))
      .map(({ method, path }) => `${method} ${path.slice(API.length)}`),
  ),
].filter((route) => accessOf(route) !== undefined);

const isRefused = (route: string) => REFUSED.includes(route) || REFUSED_BELOW.test(route);
const isOpen = (route: string) => OWN.includes(route) || OF_TENANT.includes(route) || reaches("API key", route);

test("every route says whether a confined session may ask", () => {
  expect(routes.filter((route) => isRefused(route) === isOpen(route))).toEqual([]);
  const declared = routes.filter((route) => isOpenToConfined(accessOf(route) ?? {}));
  expect(declared.sort()).toEqual(routes.filter(isOpen).sort());
});

describe("a confined session", () => {
  test("gets no further with anything of the account, the owners or the service, whatever its role", async () => {
    const owner = await signUpVerified();
    await confine(owner);
    // One of each that is refused below a path, because what is refused is counted.
    const below = [
      ...["GET /operator/status", "GET /platform/keys", "GET /platform/tenants", "POST /platform/clients"],
      ...["GET /tenant/connections", "POST /tenant/connections", "PATCH /tenant/connections/:id"],
      ...["POST /tenant/connections/:id/activate", "POST /tenant/connections/:id/test"],
      ...["GET /tenant/domains", "POST /tenant/domains", "DELETE /tenant/domains/:domain"],
    ];
    const refused = [...REFUSED, ...below];
    expect(refused.filter((route) => !routes.includes(route))).toEqual([]);
    for (const route of refused) {
      const { status, body } = await send(route, { token: owner.token });
      expect([route, status, body.message]).toEqual([route, 403, "Sign in with your own credentials for this."]);
    }
  });

  test("works in its tenant by its role", async () => {
    const member = await signUpVerified();
    await confine(member);
    for (const route of ["GET /webhooks", "GET /members", "GET /api-keys", "GET /tenant/apps", "GET /auth/apps"]) {
      expect([route, (await send(route, { token: member.token })).status]).toEqual([route, 200]);
    }
    expect((await call("PATCH", "/members/me", { token: member.token, body: { alerts: false } })).status).toBe(200);
  });
});
