/** `/console/security`: the current user's sessions, password and second factor. */
import { type Context, Hono } from "hono";
import { z } from "zod";
import { passkeyView } from "../../identity/passkeys/webauthn/view";
import { removeIdentity, startLinking } from "../../identity/providers/identities/own";
import { FLOW_COOKIE } from "../../identity/providers/providers";
import { identityView } from "../../identity/providers/view";
import { changePassword } from "../../identity/recovery/password";
import { changeBody } from "../../identity/recovery/schemas";
import { revokeSession } from "../../identity/sessions/revoke";
import { deleteAllSessionsOfUser } from "../../identity/sessions/store";
import { sessionView } from "../../identity/sessions/view";
import { stepUpFields } from "../../identity/step-up/schemas";
import { enrolmentUri } from "../../identity/two-factor/codes";
import {
  confirmEnrolment,
  disableTwoFactor,
  renewRecoveryCodes,
  startEnrolment,
} from "../../identity/two-factor/enrolment";
import { codeBody, factorBody } from "../../identity/two-factor/schemas";
import type { AppError } from "../../platform/errors";
import { setOwnCookie } from "../../platform/http/cookies";
import type { AppEnv } from "../../platform/http/env";
import { sessionOf } from "../../platform/http/permissions";
import { limit } from "../../platform/http/rate-limit";
import { activityOf } from "../../tenancy/audit/log";
import { OwnActivity } from "../audit/page";
import { type Failure, parse } from "../failure";
import { deleteConsoleCookie } from "../http/cookies";
import { readForm } from "../http/form";
import { page, redirectWithFlash, rerenderOnError } from "../http/page";
import { hasPasskeysHere } from "../http/passkeys";
import { ContinueToProvider } from "../providers/pages";
import { offeredProviders } from "../providers/providers";
import { Enrolment, type EnrolmentView, FirstRecoveryCodes, RecoveryCodes, Security } from "./pages";
import { readOwnAccess } from "./store";

const SECTION = "security";
const passwordForm = z.object(stepUpFields).pick({ password: true });
/** Base32. The enrolment form posts the secret back, so that the page can show the same QR code after a wrong code. */
const SECRET_FORM = /^[A-Z2-7]{16,64}$/;

async function securityPage(c: Context<AppEnv>, failure?: Failure, status = 200) {
  const deps = c.get("deps");
  const currentUser = c.get("currentUser");
  const { userId, sessionId } = currentUser.principal;
  const { sessions, passkeys, identities, hasPassword } = await readOwnAccess(deps, userId, deps.now());
  const view = {
    sessions: sessions.map((row) => sessionView(row, sessionId)),
    passkeys: passkeys.map(passkeyView),
    canAddPasskey: hasPasskeysHere(c),
    identities: identities.map(identityView),
    providers: offeredProviders(deps.config),
    hasPassword,
  };
  return page(
    c,
    { title: "My security", section: SECTION, status },
    <Security currentUser={currentUser} {...view} failure={failure} />,
  );
}

const enrolmentPage = (c: Context<AppEnv>, view: EnrolmentView, failure?: Failure, status = 200) =>
  page(
    c,
    { title: "Set up two-factor authentication", section: SECTION, status },
    <Enrolment {...view} failure={failure} />,
  );

const firstCodesPage = (c: Context<AppEnv>, failure?: Failure, status = 200) =>
  page(
    c,
    { title: "Two-factor authentication is on", section: SECTION, status },
    <FirstRecoveryCodes failure={failure} />,
  );

/** Shows the error of a wrong code at the code's field. */
const atCodeField = (failure: Failure, error: AppError): Failure =>
  error.code === "INVALID_TOTP" ? { ...failure, fields: { token: failure.message } } : failure;

const sessionPages = new Hono<AppEnv>()
  .get("/", (c) => securityPage(c))
  .get("/activity", limit("readAudit", "user"), async (c) => {
    const events = await activityOf(c.get("deps"), c.get("principal").userId);
    return page(c, { title: "My activity", section: SECTION }, <OwnActivity events={events} />);
  })
  .post("/sessions/:id/revoke", async (c) => {
    await revokeSession(c.get("deps"), sessionOf(c), c.req.param("id"));
    return redirectWithFlash(c, "/security", "sessionRevoked");
  })
  .post("/sign-out-everywhere", async (c) => {
    await deleteAllSessionsOfUser(c.get("deps"), sessionOf(c), c.get("deps").now());
    deleteConsoleCookie(c, "session");
    return redirectWithFlash(c, "/sign-in", "signedOutEverywhere");
  })
  .post("/password", limit("changePassword", "user"), async (c) => {
    const form = await readForm(c);
    return rerenderOnError(
      c,
      async () => {
        const input = parse(changeBody, {
          currentPassword: form.text("currentPassword"),
          newPassword: form.text("newPassword"),
        });
        await changePassword(c.get("deps"), sessionOf(c), input);
        return redirectWithFlash(c, "/security", "passwordChanged");
      },
      (failure, status) => securityPage(c, failure, status),
    );
  });

const twoFactorLimit = limit("twoFactor", "user");

const twoFactorPages = new Hono<AppEnv>()
  .post("/two-factor", twoFactorLimit, async (c) =>
    rerenderOnError(
      c,
      async () => {
        const { secret, qrCodeUri } = await startEnrolment(c.get("deps"), c.get("principal").userId);
        return enrolmentPage(c, { secret, uri: qrCodeUri });
      },
      (failure, status) => securityPage(c, failure, status),
    ),
  )
  .post("/two-factor/confirm", twoFactorLimit, async (c) => {
    const form = await readForm(c);
    const secret = form.text("secret");
    return rerenderOnError(
      c,
      async () => {
        const { token } = parse(codeBody, { token: form.text("token") });
        await confirmEnrolment(c.get("deps"), sessionOf(c), token);
        return firstCodesPage(c);
      },
      (failure, status, error) => {
        if (error.code !== "INVALID_TOTP" || !SECRET_FORM.test(secret)) return securityPage(c, failure, status);
        const uri = enrolmentUri(secret, c.get("currentUser").email);
        return enrolmentPage(c, { secret, uri }, atCodeField(failure, error), status);
      },
    );
  })
  .post("/two-factor/disable", twoFactorLimit, async (c) => {
    const form = await readForm(c);
    return rerenderOnError(
      c,
      async () => {
        const { token } = parse(factorBody, { token: form.text("token") });
        await disableTwoFactor(c.get("deps"), sessionOf(c), token);
        return redirectWithFlash(c, "/security", "twoFactorOff");
      },
      (failure, status, error) => securityPage(c, atCodeField(failure, error), status),
    );
  })
  .post("/recovery-codes", twoFactorLimit, async (c) => {
    const form = await readForm(c);
    return rerenderOnError(
      c,
      async () => {
        const { token } = parse(factorBody, { token: form.text("token") });
        const codes = await renewRecoveryCodes(c.get("deps"), sessionOf(c), token);
        return page(c, { title: "Recovery codes", section: SECTION }, <RecoveryCodes codes={codes} />);
      },
      (failure, status, error) => {
        const shown = atCodeField(failure, error);
        return form.text("first") === "yes" ? firstCodesPage(c, shown, status) : securityPage(c, shown, status);
      },
    );
  });

const identityLimit = limit("identities", "user");

const identityPages = new Hono<AppEnv>()
  .post("/identities/:provider", identityLimit, async (c) => {
    const form = await readForm(c);
    const name = c.req.param("provider");
    return rerenderOnError(
      c,
      async () => {
        const deps = c.get("deps");
        const proof = parse(passwordForm, { password: form.optional("password") });
        const { url, sealed, expiresAt } = await startLinking(deps, sessionOf(c), { name }, proof);
        setOwnCookie(c, FLOW_COOKIE, sealed, expiresAt);
        const label = offeredProviders(deps.config).find((offered) => offered.name === name)?.label ?? name;
        return page(c, { title: `Add ${label}`, section: SECTION }, <ContinueToProvider url={url} label={label} />);
      },
      (failure, status) => securityPage(c, failure, status),
    );
  })
  .post("/identities/:id/remove", identityLimit, async (c) => {
    const form = await readForm(c);
    return rerenderOnError(
      c,
      async () => {
        const proof = parse(passwordForm, { password: form.optional("password") });
        await removeIdentity(c.get("deps"), sessionOf(c), c.req.param("id"), proof);
        return redirectWithFlash(c, "/security", "identityRemoved");
      },
      (failure, status) => securityPage(c, failure, status),
    );
  });

export const securityPages = new Hono<AppEnv>()
  .route("/", sessionPages)
  .route("/", twoFactorPages)
  .route("/", identityPages);
