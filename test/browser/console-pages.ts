/**
 * The pages of the console, by their routes. test/console/audited-pages.test.ts compares them with the service's
 * routes, and all-pages.ts opens each one that no other test has audited.
 */

/** What a route's parameters stand for. `:id` differs by what stands before it. */
export interface Things {
  webhook: string;
  attempt: string;
  event: string;
  feed: string;
  source: string;
  connection: string;
  trace: string;
  person: string;
  tenant: string;
  key: string;
  import: string;
  client: string;
  api: string;
  listed: string;
  /** The token of a mail that says "this was not me". */
  notMe: string;
}

/** Each page of the console, of portals and of catalogues. A query makes it show something. */
export const AUDITED_PAGES = [
  "/account",
  "/account/apps",
  "/account/confirm",
  "/account/consent",
  "/account/device",
  "/account/second-factor",
  "/account/select-account",
  "/account/sign-on/required",
  "/account/sign-on?token=x",
  "/account/tenant",
  "/account/verify-email",
  "/catalog/:slug",
  "/catalog/:slug/:name",
  "/console",
  "/console/accept-invitation?token=x",
  "/console/activity",
  "/console/alerts",
  "/console/api-keys",
  "/console/apps",
  "/console/confirm-email?token=x",
  "/console/domains",
  "/console/connections",
  "/console/connections/:id",
  "/console/connections/:id/delete",
  "/console/connections/:id/disable",
  "/console/connections/:id/edit",
  "/console/connections/:id/traces/:trace",
  "/console/connections/new",
  "/console/connections/new/:provider",
  "/console/directories/:id",
  "/console/directories/:id/groups",
  "/console/event-types",
  "/console/event-types/catalogue",
  "/console/event-types/named/:name",
  "/console/event-types/named/:name/delete",
  "/console/event-types/named/:name/edit",
  "/console/event-types/named/:name/new-version",
  "/console/event-types/named/:name/versions/:version",
  "/console/event-types/new",
  "/console/events",
  "/console/events/:id",
  "/console/events/new",
  "/console/feeds",
  "/console/feeds/:id",
  "/console/feeds/:id/delete",
  "/console/forgot-password",
  "/console/listeners",
  "/console/not-me?token=:notMe",
  "/console/oauth?error=x",
  "/console/operator",
  "/console/operator/activity",
  "/console/operator/apps",
  "/console/operator/apps/:client/block",
  "/console/operator/apps/:client/unblock",
  "/console/operator/apps/apis/:id",
  "/console/operator/apps/apis/:id/delete",
  "/console/operator/apps/apis/:id/secret",
  "/console/operator/apps/apis/new",
  "/console/operator/apps/documents/:client",
  "/console/operator/apps/documents/new",
  "/console/operator/apps/new",
  "/console/operator/apps/registered/:id",
  "/console/operator/apps/registered/:id/delete",
  "/console/operator/apps/registered/:id/revoke",
  "/console/operator/apps/registered/:id/secret",
  "/console/operator/apps/registered/:id/secret/end",
  "/console/operator/imports",
  "/console/operator/imports/:id",
  "/console/operator/imports/:id/stop",
  "/console/operator/keys",
  "/console/operator/keys/:id/previous/end",
  "/console/operator/keys/:id/revoke",
  "/console/operator/keys/:id/rotate",
  "/console/operator/keys/new",
  "/console/operator/people/:id",
  "/console/operator/people/:id/resume",
  "/console/operator/people/:id/sessions/revoke",
  "/console/operator/people/:id/suspend",
  "/console/operator/people/:id/two-factor/remove",
  "/console/operator/sends/hold",
  "/console/operator/sends/release",
  "/console/operator/tenants/:id",
  "/console/operator/tenants/:id/move",
  "/console/operator/tenants/:id/move/cancel",
  "/console/operator/tenants/:id/resume",
  "/console/operator/tenants/:id/sends/hold",
  "/console/operator/tenants/:id/sends/release",
  "/console/operator/tenants/:id/sign-on/end",
  "/console/operator/tenants/:id/suspend",
  "/console/people",
  "/console/people/:userId/left",
  "/console/people/:userId/remove",
  "/console/people/:userId/role?role=admin",
  "/console/platform/activity",
  "/console/platform/events",
  "/console/platform/webhooks",
  "/console/portal-links",
  "/console/setup-links",
  "/console/register",
  "/console/remove-two-factor?token=x",
  "/console/reset-password?token=x",
  "/console/security",
  "/console/security/activity",
  "/console/security/confirm",
  "/console/security/delete",
  "/console/security/export",
  "/console/security/passkeys/new",
  "/console/sign-in",
  "/console/sign-in/code",
  "/console/sign-in/mail",
  "/console/sign-in/mail/code",
  "/console/sources",
  "/console/sources/:id",
  "/console/sources/:id/delete",
  "/console/sources/:id/edit",
  "/console/sources/new",
  "/console/sources/new/:provider",
  "/console/tenants",
  "/console/tenants/delete",
  "/console/tenants/export",
  "/console/tenants/leave",
  "/console/tenants/security",
  "/console/verify-email?token=x",
  "/console/webhooks",
  "/console/webhooks/:id",
  "/console/webhooks/:id/attempts/:attemptId",
  "/console/webhooks/:id/delete",
  "/console/webhooks/:id/edit",
  "/console/webhooks/:id/filter",
  "/console/webhooks/:id/replays",
  "/console/webhooks/:id/replays/preview",
  "/console/webhooks/:id/secret/rotate",
  "/console/webhooks/:id/security",
  "/console/webhooks/:id/test",
  "/console/webhooks/new",
  "/portal/open?token=x",
  "/setup/open?token=x",
] as const;

/** Files, parts of pages, and what only programs read. */
export const NO_PAGES = [
  "/account/oauth/:provider",
  "/account/sign-on/start",
  "/catalog/:slug/:file{openapi\\.json|asyncapi\\.json|types\\.ts}",
  "/console/activity/export",
  "/console/assets/:version/:file",
  "/console/directories",
  "/console/events/:id/deliveries",
  "/console/events/:id/payload",
  "/console/events/rows",
  "/console/operator/imports/:id/progress",
  "/console/operator/imports/list",
  "/console/security/two-factor",
  "/console/sign-in/passkey/options",
  "/console/webhooks/:id/attempts/:attemptId/payload",
  "/console/webhooks/:id/log",
  "/console/webhooks/:id/replays/list",
  "/console/webhooks/calendar",
] as const;

const paramsOf = (route: string) => route.split(":").length - 1;

/** The page at a path: of those whose route fits, the one with the fewest parameters. */
export function routeOf(path: string): string | undefined {
  const fits = (route: string) => new RegExp(`^${route.replace(/\?.*/, "").replaceAll(/:\w+/g, "[^/]+")}$`).test(path);
  return AUDITED_PAGES.filter(fits).sort((one, other) => paramsOf(one) - paramsOf(other))[0];
}

/** The address of a page that shows these things. */
export const addressOf = (route: string, things: Things): string =>
  route
    .replace("/webhooks/:id", `/webhooks/${things.webhook}`)
    .replace(":attemptId", things.attempt)
    .replace("/events/:id", `/events/${things.event}`)
    .replace("/feeds/:id", `/feeds/${things.feed}`)
    .replace("/sources/:id", `/sources/${things.source}`)
    .replace("/people/:id", `/people/${things.person}`)
    .replace(":userId", things.person)
    .replace("/connections/:id", `/connections/${things.connection}`)
    .replace("/directories/:id", `/directories/${things.connection}`)
    .replace("/connections/new/:provider", "/connections/new/okta")
    .replace(":trace", things.trace)
    .replace("/tenants/:id", `/tenants/${things.tenant}`)
    .replace("/keys/:id", `/keys/${things.key}`)
    .replace("/imports/:id", `/imports/${things.import}`)
    .replace("/documents/:client", `/documents/${encodeURIComponent(things.listed)}`)
    .replace(":client", things.client)
    .replace("/apis/:id", `/apis/${things.api}`)
    .replace("/registered/:id", `/registered/${things.client}`)
    .replace(":notMe", things.notMe)
    .replace(":slug", "acme")
    .replace(":name", "order.paid")
    .replace(":version", "1")
    .replace(":provider", "github");
