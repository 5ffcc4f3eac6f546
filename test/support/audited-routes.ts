/** What each route that changes something leaves in the audit log, and a request of each. */
import { ACCOUNT_ROUTES } from "./audited/account-routes";
import type { Recorded } from "./audited/acts";
import { TENANT_ROUTES } from "./audited/tenant-routes";

export const RECORDED: Recorded = { ...ACCOUNT_ROUTES, ...TENANT_ROUTES };

const OF_PLATFORM = "recorded in the log of the platform, which platform-keys.test.ts and platform-api.test.ts read";

/** Routes that leave no event in a tenant with members, and why. */
export const NOT_RECORDED: Record<string, string> = {
  "POST /operator/sends/hold": "recorded; it would hold the other tests' deliveries (isolated/operator-holds.test.ts)",
  "POST /operator/sends/release": "recorded; the same",
  "POST /operator/tenants/:id/move": "recorded; moves.isolated.test.ts moves a tenant",
  "POST /operator/tenants/:id/move/cancel": "recorded; moves-without-a-stop.isolated.test.ts cancels one",
  "POST /platform/keys": OF_PLATFORM,
  "POST /platform/keys/:id/rotate": OF_PLATFORM,
  "DELETE /platform/keys/:id/previous": OF_PLATFORM,
  "DELETE /platform/keys/:id": OF_PLATFORM,
  "POST /platform/tenants": OF_PLATFORM,
  "PATCH /platform/tenants/:tenant": OF_PLATFORM,
  "DELETE /platform/tenants/:tenant": OF_PLATFORM,
  "POST /platform/tenants/:tenant/suspend": OF_PLATFORM,
  "POST /platform/tenants/:tenant/resume": OF_PLATFORM,
  "POST /platform/tenants/:tenant/invitations": OF_PLATFORM,
  "PATCH /platform/tenants/:tenant/security": OF_PLATFORM,
  "POST /platform/tenants/:tenant/members": OF_PLATFORM,
  "PATCH /platform/tenants/:tenant/members/:user": OF_PLATFORM,
  "DELETE /platform/tenants/:tenant/members/:user": OF_PLATFORM,
  "POST /platform/imports": "changes nothing until it is started",
  "PUT /platform/imports/:id/parts/:n": "changes nothing until it is started",
  "POST /platform/imports/:id/start": "recorded in the log of the platform, which imports.jobs.test.ts reads",
  "DELETE /platform/imports/:id": "the same",
  "POST /platform/users": OF_PLATFORM,
  "PATCH /platform/users/:user": OF_PLATFORM,
  "DELETE /platform/users/:user": OF_PLATFORM,
  "POST /platform/users/:user/suspend": OF_PLATFORM,
  "POST /platform/users/:user/resume": OF_PLATFORM,
  "POST /platform/users/:user/sessions/revoke": OF_PLATFORM,
  "POST /platform/users/:user/mails": "sends a mail and changes nothing",
  "DELETE /tenant": "the log goes with the tenant; the owner's own activity has it (deletion.test.ts)",
  "POST /auth/invitations/look-up": "changes nothing",
  "POST /auth/code": "sends a mail and changes nothing",
  "POST /auth/refresh": "too frequent, and no change of rights",
  "POST /auth/resend-verification": "sends a mail and changes nothing",
  "POST /auth/identities/:id":
    "changes nothing until the browser is back, whose link is recorded (provider-accounts.test.ts)",
  "POST /auth/2fa/enable": "changes nothing until a code confirms it",
  "POST /auth/passkeys/options": "changes nothing",
  "POST /auth/passkeys/login/options": "changes nothing",
  "POST /auth/register/passkey/options": "changes nothing",
  "POST /auth/step-up/options": "changes nothing",
  "PATCH /auth/passkeys/:id": "a name that only the caller sees",
  "PATCH /members/me": "a preference of the caller",
  "POST /in/:sourceId": "an event of its own",
  "POST /sources/:id/test": "changes nothing",
  "POST /listen/:id/ticket": "opens a socket that the listener was opened for",
  "POST /feeds/:id/consumers/:name/ack": "too frequent, and what every reader does",
  "DELETE /feeds/:id/consumers/:name": "a bookmark of a reader",
  "POST /event-types/:name/validate": "changes nothing",
  "POST /webhooks/:id/filter/test": "changes nothing",
  "POST /events": "an event of its own",
  "POST /events/batch": "events of their own",
  "POST /webhooks/:id/retry": "a delivery",
  "POST /webhooks/:id/deliveries/:deliveryId/retry": "a delivery",
  "POST /webhooks/:id/retry-failed": "deliveries",
  "POST /webhooks/:id/test": "a delivery",
  "DELETE /webhooks/:id/replays/:replayId": "sends less than was recorded",
};
