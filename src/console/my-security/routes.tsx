/** `/console/security`: the current user's sessions, password and second factor. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { pathParam, requires, serve } from "../../base/http/operation";
import { isConfined } from "../../base/schemas/principal";
import { twoFactor } from "../../identity/enrolment/two-factor/api";
import { acceptedPasskeys } from "../../identity/passkeys/webauthn/options";
import { passkeyView } from "../../identity/passkeys/webauthn/view";
import { recovery } from "../../identity/recovery/api";
import { sessions } from "../../identity/sessions/api";
import { sessionView } from "../../identity/sessions/view";
import { identities } from "../../identity/sign-in/identities/api";
import { identityView } from "../../identity/sign-in/providers/view";
import { auditLog } from "../../tenancy/audit/api";
import { OwnActivity } from "../audit/page";
import type { Form } from "../http/form";
import { offeredProviders } from "../http/offers";
import { flash, page, type Refused, redirectTo } from "../http/page";
import { Pages } from "../http/pages";
import { hasPasskeysHere } from "../http/passkeys";
import { signedOut } from "../http/session";
import { ContinueToProvider } from "../providers/pages";
import { atCodeField, codesPage, enrolmentPages } from "./enrolment/routes";
import { ConfinedSecurity, Security } from "./pages";
import { readOwnAccess } from "./store";

const SECTION = "security";
const HERE = { title: "My security", section: SECTION } as const;

export async function securityPage(c: Context<AppEnv>, refused?: Refused, newEmail = "") {
  const deps = c.get("deps");
  const currentUser = c.get("currentUser");
  const { userId, sessionId } = currentUser.principal;
  const own = await readOwnAccess(deps, currentUser.principal, deps.now());
  const sessionsShown = own.sessions.map((row) => sessionView(row, sessionId));
  const hasApps = deps.config.oauthServer === "on";
  if (isConfined(currentUser.principal)) {
    return page(c, HERE, <ConfinedSecurity sessions={sessionsShown} hasApps={hasApps} />);
  }
  const view = {
    sessions: sessionsShown,
    passkeys: own.passkeys.map(passkeyView),
    canAddPasskey: hasPasskeysHere(c),
    acceptedPasskeys: JSON.stringify(acceptedPasskeys(deps.config, userId, own.passkeys)),
    identities: own.identities.map(identityView),
    providers: offeredProviders(deps.config),
    hasPassword: own.hasPassword,
    takesPasswords: deps.config.passwords === "on",
    pendingEmail: own.pendingEmail,
    newEmail,
    hasApps,
  };
  return page(c, { ...HERE, refused: atCodeField(refused) }, <Security currentUser={currentUser} {...view} />);
}

/** Shows a refused form on the page of the user's security. */
const again = (c: Context<AppEnv>, refused: Refused) => securityPage(c, refused);

const token = (sent: Form) => sent.texts("token");

const password = (sent: Form) => ({ password: sent.optional("password") });

export const securityPages = new Pages()
  // The query fills in the address that had to wait until the session was confirmed.
  .get("/", requires({ openWhenSuspended: true, inConfinedSession: "open" }), (c) =>
    securityPage(c, undefined, c.req.query("email")),
  )
  .get(
    "/activity",
    ...serve(auditLog.readOwn, (c, events) =>
      page(c, { title: "My activity", section: SECTION }, <OwnActivity events={events} />),
    ),
  )
  .form("/sessions/:id/revoke", sessions.revoke, { done: flash("/security", "sessionRevoked") })
  .form("/sign-out-everywhere", sessions.revokeAll, { done: signedOut("signedOutEverywhere") })
  .form("/password", recovery.changePassword, {
    values: (sent) => sent.texts("currentPassword", "newPassword"),
    done: flash("/security", "passwordChanged"),
    again,
  })
  // The address of the form's answer, opened again.
  .get("/two-factor", requires({ openWhenSuspended: true }), (c) => redirectTo(c, "/security#two-factor"))
  .route("/two-factor", enrolmentPages(again))
  .form("/two-factor/disable", twoFactor.disable, { values: token, done: flash("/security", "twoFactorOff"), again })
  .form("/recovery-codes", twoFactor.renewRecoveryCodes, {
    values: token,
    done: (c, codes) => codesPage(c, "factor.newCodes", codes),
    again,
  })
  .form("/identities/:id", identities.linkWithPassword, {
    values: password,
    done: (c, url) => {
      const name = pathParam(c, "id");
      const label = offeredProviders(c.get("deps").config).find((offered) => offered.name === name)?.label ?? name;
      return page(c, { title: `Add ${label}`, section: SECTION }, <ContinueToProvider url={url} label={label} />);
    },
    again,
    confirmedAt: () => "/security",
  })
  .form("/identities/:id/remove", identities.unlinkWithPassword, {
    values: password,
    done: flash("/security", "identityRemoved"),
    again,
    confirmedAt: () => "/security",
  }).router;
