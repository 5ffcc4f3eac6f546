/** `/console/security`: the current user's sessions, password and second factor. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { pathParam, requires, serve } from "../../base/http/operation";
import { twoFactor } from "../../identity/enrolment/two-factor/api";
import { passkeyView } from "../../identity/passkeys/webauthn/view";
import { recovery } from "../../identity/recovery/api";
import { sessions } from "../../identity/sessions/api";
import { sessionView } from "../../identity/sessions/view";
import { identities } from "../../identity/sign-in/identities/api";
import { identityView } from "../../identity/sign-in/providers/view";
import { enrolmentUri } from "../../identity/two-factor/codes";
import { auditLog } from "../../tenancy/audit/api";
import { OwnActivity } from "../audit/page";
import type { Form } from "../http/form";
import { flash, inOtherWords, page, type Refused, redirectTo } from "../http/page";
import { Pages } from "../http/pages";
import { hasPasskeysHere } from "../http/passkeys";
import { signedOut } from "../http/session";
import { ContinueToProvider } from "../providers/pages";
import { offeredProviders } from "../providers/providers";
import { EnrolmentPage, type EnrolmentView, RecoveryCodes, Security } from "./pages";
import { readOwnAccess } from "./store";

const SECTION = "security";
/** Base32. The enrolment form posts the secret back, so that the page can show the same QR code after a wrong code. */
const SECRET_FORM = /^[A-Z2-7]{16,64}$/;

export async function securityPage(c: Context<AppEnv>, refused?: Refused, newEmail = "") {
  const deps = c.get("deps");
  const currentUser = c.get("currentUser");
  const { userId, sessionId } = currentUser.principal;
  const own = await readOwnAccess(deps, userId, deps.now());
  const view = {
    sessions: own.sessions.map((row) => sessionView(row, sessionId)),
    passkeys: own.passkeys.map(passkeyView),
    canAddPasskey: hasPasskeysHere(c),
    identities: own.identities.map(identityView),
    providers: offeredProviders(deps.config),
    hasPassword: own.hasPassword,
    takesPasswords: deps.config.passwords === "on",
    pendingEmail: own.pendingEmail,
    newEmail,
  };
  return page(
    c,
    { title: "My security", section: SECTION, refused: atCodeField(refused) },
    <Security currentUser={currentUser} {...view} />,
  );
}

const enrolmentPage = (c: Context<AppEnv>, view: EnrolmentView, refused?: Refused) =>
  page(
    c,
    { title: "Set up two-factor authentication", section: SECTION, refused: atCodeField(refused) },
    <EnrolmentPage {...view} />,
  );

function codesPage(c: Context<AppEnv>, title: string, codes: readonly string[]) {
  // The user has them from here on.
  c.set("currentUser", { ...c.get("currentUser"), twoFactorEnabled: true, lacksRecoveryCodes: false });
  return page(c, { title, section: SECTION }, <RecoveryCodes title={title} codes={codes} />);
}

/** Shows the error of a wrong code at the code's field. */
const atCodeField = (refused: Refused | undefined): Refused | undefined =>
  refused?.error.code === "INVALID_TOTP"
    ? inOtherWords(refused, { fields: { token: refused.failure.message } })
    : refused;

/** Shows a refused form on the page of the user's security. */
const again = (c: Context<AppEnv>, refused: Refused) => securityPage(c, refused);

const token = (sent: Form) => sent.texts("token");

const password = (sent: Form) => ({ password: sent.optional("password") });

export const securityPages = new Pages()
  // The query fills in the address that had to wait until the session was confirmed.
  .get("/", requires({ openWhenSuspended: true }), (c) => securityPage(c, undefined, c.req.query("email")))
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
  .form("/two-factor", twoFactor.enable, {
    done: (c, { secret, qrCodeUri }) => enrolmentPage(c, { secret, uri: qrCodeUri }),
    again,
  })
  .form("/two-factor/confirm", twoFactor.verifyWithCodes, {
    values: (sent) => sent.texts("token", "secret"),
    done: (c, codes) => codesPage(c, "Two-factor authentication is on", codes),
    again: (c, refused, { secret }) => {
      if (refused.error.code !== "INVALID_TOTP" || !SECRET_FORM.test(secret)) return securityPage(c, refused);
      return enrolmentPage(
        c,
        { secret, uri: enrolmentUri(c.get("deps"), secret, c.get("currentUser").email) },
        refused,
      );
    },
  })
  .form("/two-factor/disable", twoFactor.disable, { values: token, done: flash("/security", "twoFactorOff"), again })
  .form("/recovery-codes", twoFactor.renewRecoveryCodes, {
    values: token,
    done: (c, codes) => codesPage(c, "Recovery codes", codes),
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
