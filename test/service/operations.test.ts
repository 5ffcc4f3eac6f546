/**
 * Routes of the API and forms perform operations, which say once who may ask, how often and with what. A handler of its
 * own could forget a part of it.
 */
import { findTargetHandler } from "hono/utils/handler";
import { expect, test } from "vitest";
import { app } from "../../src/app";
import { docsOf } from "../../src/base/http/route-docs";

const THE_SAME_FOR_ALL = "says the same to everybody, as a cache may";
const OF_APPS = "is called by apps, which read the errors of OAuth; test/oauth has its callers and limits";
const OF_DIRECTORIES = "the token is the credential, and errors are those of RFC 7644; see test/directory";
const RAW_BODY = "takes its body byte for byte, and checks it after the caller";
const SIGNED = "has no caller before it has read the signature or the ticket";

/** What has a handler of its own, and why. The permissions and limits of the rest are tested with the operations. */
const ELSEWHERE: Record<string, string> = {
  "GET /api/v1/openapi.json": THE_SAME_FOR_ALL,
  "POST /api/v1/events": RAW_BODY,
  "POST /api/v1/events/batch": RAW_BODY,
  "POST /api/v1/platform/imports": RAW_BODY,
  "PUT /api/v1/platform/imports/:id/parts/:n": RAW_BODY,
  "POST /oauth/authorize": OF_APPS,
  "POST /oauth/device": OF_APPS,
  "POST /oauth/introspect": OF_APPS,
  "POST /oauth/logout": OF_APPS,
  "POST /oauth/par": OF_APPS,
  "POST /oauth/register": OF_APPS,
  "POST /oauth/revoke": OF_APPS,
  "POST /oauth/token": OF_APPS,
  "POST /oauth/userinfo": OF_APPS,
  "POST /scim/v2/:connection/Groups": OF_DIRECTORIES,
  "POST /scim/v2/:connection/Groups/.search": OF_DIRECTORIES,
  "PUT /scim/v2/:connection/Groups/:id": OF_DIRECTORIES,
  "PATCH /scim/v2/:connection/Groups/:id": OF_DIRECTORIES,
  "DELETE /scim/v2/:connection/Groups/:id": OF_DIRECTORIES,
  "POST /scim/v2/:connection/Users": OF_DIRECTORIES,
  "POST /scim/v2/:connection/Users/.search": OF_DIRECTORIES,
  "PUT /scim/v2/:connection/Users/:id": OF_DIRECTORIES,
  "PATCH /scim/v2/:connection/Users/:id": OF_DIRECTORIES,
  "DELETE /scim/v2/:connection/Users/:id": OF_DIRECTORIES,
  "GET /api/v1/in/:sourceId": THE_SAME_FOR_ALL,
  "POST /api/v1/in/:sourceId": SIGNED,
  "POST /api/v1/auth/sign-on/:connection/logout": SIGNED,
  "GET /api/v1/listen/:id/socket": SIGNED,
};

/** Whether the route is of the API, or takes a form. The other pages and files only show something. */
const isAsked = (route: string): boolean => route.includes(" /api/") || !/^(GET|HEAD) /.test(route);

test("every route of the API and every form performs an operation", () => {
  const routes = app.routes.filter(({ method }) => method !== "ALL");
  const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
  const performs = routes.filter(({ handler }) => docsOf(findTargetHandler(handler))?.performs);
  const performing = new Set(performs.map(nameOf));
  const outside = new Set(routes.map(nameOf).filter((route) => isAsked(route) && !performing.has(route)));
  expect([...outside].sort()).toEqual(Object.keys(ELSEWHERE).sort());
});

/** Operations with a step-up, some of them for some inputs alone. */
const CONFIRMED = [
  "DELETE /api/v1/auth/identities/:id",
  "DELETE /api/v1/auth/me",
  "DELETE /api/v1/auth/passkeys/:id",
  "DELETE /api/v1/members/:userId",
  "DELETE /api/v1/members/me",
  "DELETE /api/v1/platform/clients/:id",
  "DELETE /api/v1/platform/clients/:id/secret/previous",
  "DELETE /api/v1/platform/keys/:id",
  "DELETE /api/v1/platform/keys/:id/previous",
  "DELETE /api/v1/platform/resources/:id",
  "DELETE /api/v1/tenant",
  "DELETE /api/v1/tenant/connections/:id",
  "DELETE /api/v1/tenant/connections/:id/scim-tokens/:token",
  "DELETE /api/v1/tenant/domains/:domain",
  "GET /api/v1/auth/me/export",
  "GET /api/v1/tenant/export",
  "PATCH /api/v1/members/:userId",
  "PATCH /api/v1/platform/clients/:id",
  "PATCH /api/v1/platform/resources/:id",
  "PATCH /api/v1/tenant/clients/:id",
  "PATCH /api/v1/tenant/connections/:id",
  "PATCH /api/v1/tenant/resources/:id",
  "PATCH /api/v1/tenant/security",
  "POST /account/second-factor/passkeys",
  "POST /api/v1/auth/change-email",
  "POST /api/v1/auth/identities/:id",
  "POST /api/v1/auth/passkeys",
  "POST /api/v1/auth/passkeys/options",
  "POST /api/v1/invitations",
  "POST /api/v1/operator/domains/:domain/move",
  "POST /api/v1/operator/people/:id/resume",
  "POST /api/v1/operator/people/:id/sessions/revoke",
  "POST /api/v1/operator/people/:id/suspend",
  "POST /api/v1/operator/people/:id/two-factor/remove",
  "POST /api/v1/operator/sends/hold",
  "POST /api/v1/operator/sends/release",
  "POST /api/v1/operator/tenants/:id/move",
  "POST /api/v1/operator/tenants/:id/move/cancel",
  "POST /api/v1/operator/tenants/:id/resume",
  "POST /api/v1/operator/tenants/:id/sends/hold",
  "POST /api/v1/operator/tenants/:id/sends/release",
  "POST /api/v1/operator/tenants/:id/sign-on/end",
  "POST /api/v1/operator/tenants/:id/suspend",
  "POST /api/v1/platform/clients",
  "POST /api/v1/platform/clients/:id/revoke",
  "POST /api/v1/platform/clients/:id/secret",
  "POST /api/v1/platform/keys",
  "POST /api/v1/platform/keys/:id/rotate",
  "POST /api/v1/platform/resources",
  "POST /api/v1/platform/resources/:id/secret",
  "POST /api/v1/tenant/clients",
  "POST /api/v1/tenant/clients/:id/secret",
  "POST /api/v1/tenant/connections",
  "POST /api/v1/tenant/connections/:id/activate",
  "POST /api/v1/tenant/connections/:id/disable",
  "POST /api/v1/tenant/connections/:id/people/:person/release",
  "POST /api/v1/tenant/connections/:id/scim-tokens",
  "POST /api/v1/tenant/connections/:id/test",
  "POST /api/v1/tenant/domains",
  "POST /api/v1/tenant/domains/:domain/check",
  "POST /api/v1/tenant/resources",
  "POST /api/v1/tenant/resources/:id/secret",
  "POST /console/apps/apis/:id",
  "POST /console/apps/apis/:id/secret",
  "POST /console/apps/apis/new",
  "POST /console/apps/new",
  "POST /console/apps/registered/:id",
  "POST /console/apps/registered/:id/secret",
  "POST /console/connections/:id",
  "POST /console/connections/:id/activate",
  "POST /console/connections/:id/delete",
  "POST /console/connections/:id/disable",
  "POST /console/connections/:id/test",
  "POST /console/connections/new/:provider",
  "POST /console/domains",
  "POST /console/domains/:domain/check",
  "POST /console/domains/:domain/remove",
  "POST /console/operator/apps/:client/block",
  "POST /console/operator/apps/:client/unblock",
  "POST /console/operator/apps/apis/:id",
  "POST /console/operator/apps/apis/:id/delete",
  "POST /console/operator/apps/apis/:id/secret",
  "POST /console/operator/apps/apis/new",
  "POST /console/operator/apps/documents/:client",
  "POST /console/operator/apps/documents/new",
  "POST /console/operator/apps/new",
  "POST /console/operator/apps/registered/:id",
  "POST /console/operator/apps/registered/:id/delete",
  "POST /console/operator/apps/registered/:id/revoke",
  "POST /console/operator/apps/registered/:id/secret",
  "POST /console/operator/apps/registered/:id/secret/end",
  "POST /console/operator/imports/:id/stop",
  "POST /console/operator/keys/:id/previous/end",
  "POST /console/operator/keys/:id/revoke",
  "POST /console/operator/keys/:id/rotate",
  "POST /console/operator/keys/new",
  "POST /console/operator/people/:id/resume",
  "POST /console/operator/people/:id/sessions/revoke",
  "POST /console/operator/people/:id/suspend",
  "POST /console/operator/people/:id/two-factor/remove",
  "POST /console/operator/sends/hold",
  "POST /console/operator/sends/release",
  "POST /console/operator/tenants/:id/move",
  "POST /console/operator/tenants/:id/move/cancel",
  "POST /console/operator/tenants/:id/resume",
  "POST /console/operator/tenants/:id/sends/hold",
  "POST /console/operator/tenants/:id/sends/release",
  "POST /console/operator/tenants/:id/suspend",
  "POST /console/people/:userId/remove",
  "POST /console/people/:userId/role",
  "POST /console/people/invitations",
  "POST /console/security/delete",
  "POST /console/security/email",
  "POST /console/security/export",
  "POST /console/security/identities/:id",
  "POST /console/security/identities/:id/remove",
  "POST /console/security/passkeys",
  "POST /console/security/passkeys/:id/remove",
  "POST /console/tenants/delete",
  "POST /console/tenants/export",
  "POST /console/tenants/leave",
  "POST /console/tenants/security",
  "PUT /api/v1/platform/apps/:client",
];

test("what cannot be undone needs a recent sign-in or a step-up", () => {
  const confirms = app.routes.filter(({ handler }) => docsOf(findTargetHandler(handler))?.confirms);
  expect([...new Set(confirms.map(({ method, path }) => `${method} ${path}`))].sort()).toEqual(CONFIRMED);
});
