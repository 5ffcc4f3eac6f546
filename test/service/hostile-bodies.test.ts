/** Every route that reads a body answers hostile ones with a 4xx. */
import { expect, test } from "vitest";
import { call, signUp } from "../support/client";
import { MISSING, OPEN, send } from "../support/routes";

/** Identity providers send forms to these. */
const BY_FORM = /^POST \/auth\/sign-on\/:connection\/(initiate|acs|logout)$/;

const READS_BODY = [
  // What a source does with a body comes after its signature.
  ...OPEN.filter((route) => !/^GET |\/options$|^POST \/in\//.test(route) && !BY_FORM.test(route)),
  "POST /auth/identities/:id",
  "POST /webhooks/:id/retry-failed",
  "POST /webhooks/:id/replay",
  "POST /webhooks/:id/secret/rotate",
  "POST /auth/change-password",
  "PATCH /auth/me",
  "POST /auth/change-email",
  "POST /auth/change-email/confirm",
  "POST /auth/step-up",
  "POST /auth/passkeys",
  "PATCH /auth/passkeys/:id",
  "DELETE /auth/me",
  "POST /auth/2fa/verify",
  "POST /auth/2fa/disable",
  "POST /auth/2fa/recovery-codes",
  "POST /api-keys",
  "PATCH /members/:userId",
  "POST /invitations",
  "POST /invitations/accept",
  "POST /webhooks",
  "PATCH /webhooks/:id",
  "POST /events",
  "POST /events/batch",
  "POST /webhooks/:id/filter/test",
  "POST /event-types",
  "POST /event-types/import",
  "PATCH /event-types/:name",
  "POST /event-types/:name/versions",
  "POST /event-types/:name/validate",
  "PATCH /tenant/event-types",
  "POST /sources",
  "PATCH /sources/:id",
  "POST /sources/:id/secrets",
  "POST /sources/:id/test",
  "POST /listen",
  "POST /portal-links",
  "POST /portal-tokens",
  "POST /feeds",
  "PATCH /feeds/:id",
  "POST /feeds/:id/token",
  "POST /feeds/:id/consumers/:name/ack",
  "POST /feeds/:id/consumers/:name/seek",
];

const FIELDS = ["email", "password", "token", "refreshToken", "newPassword", "currentPassword", "role", "type"];
const bodyOf = (value: string) => `{${FIELDS.map((field) => `"${field}":${value}`).join(",")},"payload":1}`;
const HOSTILE: [string, string][] = [
  ["nothing", ""],
  ["a NUL", "\0"],
  ["NULs in fields", bodyOf(JSON.stringify("a\0b@example.com"))],
  ["objects in fields", bodyOf('{"__proto__":{"length":9}}')],
  ["deep fields", bodyOf("[".repeat(7_000) + "]".repeat(7_000))],
  ["long fields", bodyOf(`"${"x".repeat(6_000)}"`)],
  ["more than 1 MiB", bodyOf(`"${"x".repeat(140_000)}"`)],
  ["unclosed depth", "[".repeat(60_000)],
  ["closed depth", "[".repeat(30_000) + "]".repeat(30_000)],
  ["__proto__", '{"__proto__":{"email":"a@b.example","role":"owner","token":"x"},"role":7,"name":7,"token":7}'],
  ["lone surrogates", bodyOf('"\\ud800"')],
];

test.each(READS_BODY)("%s answers hostile bodies with a 4xx in the one shape", async (route) => {
  const { token } = await signUp();
  for (const [name, raw] of HOSTILE) {
    const { status, body } = await send(route, { token, raw });
    if (route === "POST /auth/logout" && status === 200) continue;
    expect([name, Math.floor(status / 100)]).toEqual([name, 4]);
    expect(body).toMatchObject({ code: expect.any(String), message: expect.any(String) });
    expect(body.requestId, name).toMatch(/./);
  }
});

const FORM = "application/x-www-form-urlencoded";

test.each([
  ["initiate", "leads the browser on, or answers", { code: expect.any(String), message: expect.any(String) }, "iss"],
  [
    "acs",
    "leads the browser on, or answers",
    { code: expect.any(String), message: expect.any(String) },
    "SAMLResponse",
  ],
  // OpenID Connect Back-Channel Logout 1.0, section 2.8.
  ["logout", "answers", { error: "invalid_request" }, "logout_token"],
])("POST /auth/sign-on/:connection/%s %s hostile bodies and forms with a 4xx", async (act, _, refusal, field) => {
  const forms = HOSTILE.map(([name, raw]) => [name, `${field}=${encodeURIComponent(raw)}`, FORM]);
  for (const [name, raw = "", type = ""] of [...HOSTILE.map((body) => [...body, "application/json"]), ...forms]) {
    const headers = { "content-type": type };
    const path = `/auth/sign-on/${MISSING}/${act}`;
    const { status, body } = await call("POST", path, { raw, headers, redirect: "manual" });
    if (act !== "logout" && status === 303) continue;
    expect([name, type, status === 413 ? 400 : status]).toEqual([name, type, 400]);
    expect(body, name).toMatchObject(status === 413 ? { code: "PAYLOAD_TOO_LARGE" } : refusal);
  }
});

/** As deep as 200 KiB can be. */
const DEEPEST = "[".repeat(100_000) + "]".repeat(100_000);

test("a body that is nested too deeply is refused before anything walks through it", async () => {
  const { token } = await signUp();
  for (const route of ["POST /events", "POST /events/batch", "POST /event-types", "POST /event-types/import"]) {
    for (const raw of [DEEPEST, `{"payload":${DEEPEST}}`, `{"a":"]]]]","schema":${DEEPEST}}`]) {
      const { status, body } = await send(route, { token, raw });
      expect([route, status, body.code, body.message]).toEqual([
        ...[route, 400, "INVALID_JSON", "The body is nested more than 512 levels deep."],
      ]);
    }
  }
});

test("brackets within texts are no levels", async () => {
  const { token } = await signUp();
  const raw = JSON.stringify({ type: "a", payload: ["[".repeat(2_000), '\\"[['.repeat(1_000)] });
  expect((await send("POST /events", { token, raw })).status).not.toBe(400);
});
