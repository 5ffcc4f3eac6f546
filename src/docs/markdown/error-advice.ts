/** What a client should do about each error code, for the table at `/docs/errors`. */
import type { ErrorCode } from "../../base/errors";

export const ADVICE: Record<ErrorCode, string> = {
  VALIDATION_FAILED: "Correct the fields that `details` names.",
  INVALID_JSON: "Send valid JSON, nested no more than 512 levels deep.",
  INVALID_TOKEN: "Request a new email.",
  TOKEN_EXPIRED: "Request a new email.",
  TWO_FACTOR_ALREADY_ENABLED: "Nothing. To enrol again, disable it first.",
  TWO_FACTOR_NOT_STARTED: "Call `POST /auth/2fa/enable`, then verify a code.",
  TWO_FACTOR_NOT_ENABLED: "Nothing: there is no second factor.",
  UNAUTHENTICATED: "After a login: email or password was wrong. Otherwise: refresh, then send the request again once.",
  WRONG_PASSWORD: "Ask the user for the current password again.",
  INVALID_TOTP: "Ask the user for another code. Each code works once.",
  INVALID_CODE:
    "Ask for the code of the newest mail, or call `POST /auth/code` for another. Five wrong codes use it up.",
  REFRESH_TOKEN_INVALID: "Log in.",
  REFRESH_TOKEN_EXPIRED: "Log in.",
  REFRESH_TOKEN_REUSED: "Log in. If your client did not refresh twice, someone else has the token.",
  FORBIDDEN:
    "The role or the API key's scopes lack the permission: ask an admin. Or the tenant or the account is " +
    "suspended: the message says so.",
  EMAIL_NOT_VERIFIED:
    "Follow the link in the email. A new one was sent, at most one every two minutes. If `details` has `next: " +
    "email-code`, a code was mailed instead: send the exchange again with it.",
  CAPTCHA_REQUIRED:
    "Show the Turnstile widget, then send the request again with its token as `captchaToken`. Each token works once.",
  NO_TENANT:
    "Add the person to a tenant or invite them. Whoever registers needs an invitation or says `tenantName`. The " +
    "setting `PERSONAL_TENANTS` is off.",
  TOTP_REQUIRED: "Send the request again with `totp`.",
  SECOND_FACTOR_REQUIRED:
    "Lead the user to set up a second factor, with `POST /auth/2fa/enable` or a passkey. Somebody with a passkey " +
    "confirms the session with it, with `POST /auth/step-up`. Then send the request again.",
  SIGN_ON_REQUIRED:
    "Lead the browser to the address in `details`, at the path `signOn`, where the person signs in at the tenant's " +
    "identity provider. Other tenants of theirs stay open.",
  STEP_UP_REQUIRED:
    "Ask for the password or a mailed code, call `POST /auth/step-up`, then send the request again. With " +
    "`details`, the account has a second factor or a passkey, and needs one of the fields that they name: `totp` or " +
    "`passkey`.",
  NOT_FOUND: "Check the id. It does not exist in this tenant.",
  METHOD_NOT_ALLOWED: "Use a method listed in the `Allow` header.",
  CONFLICT: "Read `message`. A repeated publish must have the same body as the first.",
  LAST_OWNER: "Give another member the role of owner, then leave or delete the account.",
  EMAIL_TAKEN: "Log in, or reset the password.",
  PAYLOAD_TOO_LARGE: "Send at most 64 KiB, or 256 KiB for an event.",
  UNSUPPORTED_MEDIA_TYPE: "Send `Content-Type: application/json`.",
  ACCOUNT_LOCKED:
    "Wait `Retry-After` seconds, or reset the password. A lock of mailed codes ends by itself; the password works " +
    "meanwhile.",
  RATE_LIMITED: "Wait `Retry-After` seconds.",
  INTERNAL_ERROR: "Report the `requestId`: the fault is in the service. Reads are safe to send again.",
  SERVICE_UNAVAILABLE: "Wait `Retry-After` seconds, then send the request again.",
};
