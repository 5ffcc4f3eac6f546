/** `/console/security/two-factor`, which is `/account/second-factor` for apps: turning two-factor authentication on. */
import type { Context } from "hono";
import type { AppEnv } from "../../../base/http/env";
import { twoFactor } from "../../../identity/enrolment/two-factor/api";
import { enrolmentUri } from "../../../identity/two-factor/codes";
import { Say } from "../../components/mount";
import { inOtherWords, page, type Refused } from "../../http/page";
import { Pages } from "../../http/pages";
import { EnrolmentPage, type EnrolmentView, RecoveryCodes } from "./pages";

const SECTION = "security";
/** Base32. The enrolment form posts the secret back, so that the page can show the same QR code after a wrong code. */
const SECRET_FORM = /^[A-Z2-7]{16,64}$/;

/** Shows the error of a wrong code at the code's field. */
export const atCodeField = (refused: Refused | undefined): Refused | undefined =>
  refused?.error.code === "INVALID_TOTP"
    ? inOtherWords(refused, { fields: { token: refused.failure.message } })
    : refused;

const enrolmentPage = (c: Context<AppEnv>, view: EnrolmentView, refused?: Refused) =>
  page(
    c,
    { title: <Say of="factor.title" />, section: SECTION, refused: atCodeField(refused) },
    <EnrolmentPage {...view} />,
  );

export function codesPage(c: Context<AppEnv>, title: "factor.on" | "factor.newCodes", codes: readonly string[]) {
  // The user has them from here on.
  c.set("currentUser", { ...c.get("currentUser"), twoFactorEnabled: true, lacksRecoveryCodes: false });
  const { brand } = c.get("deps").config;
  const content = <RecoveryCodes title={title} codes={codes} brandName={brand.name} />;
  return page(c, { title: <Say of={title} />, section: SECTION }, content);
}

/** `again` shows the page from which somebody has begun. */
export const enrolmentPages = (again: (c: Context<AppEnv>, refused: Refused) => Response | Promise<Response>) =>
  new Pages()
    .form("/", twoFactor.enable, {
      done: (c, { secret, qrCodeUri }) => enrolmentPage(c, { secret, uri: qrCodeUri }),
      again,
    })
    .form("/confirm", twoFactor.verifyWithCodes, {
      values: (sent) => sent.texts("token", "secret"),
      done: (c, codes) => codesPage(c, "factor.on", codes),
      again: (c, refused, { secret }) => {
        if (refused.error.code !== "INVALID_TOTP" || !SECRET_FORM.test(secret)) return again(c, refused);
        const uri = enrolmentUri(c.get("deps"), secret, c.get("currentUser").email);
        return enrolmentPage(c, { secret, uri }, refused);
      },
    }).router;
