/** Links in mails lead to `APP_URL`, whatever the request claims about its host. */
import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";
import { newEmail, ownAddress, PASSWORD, verify } from "../support/client";
import { mailTo } from "../support/mailbox";

const FORGED = {
  host: "evil.example",
  "x-forwarded-host": "evil.example",
  "x-forwarded-proto": "gopher",
  forwarded: "host=evil.example",
  origin: "https://evil.example",
  referer: "https://evil.example/",
};

test("verification, reset and invitation links ignore the URL's host and every header", async () => {
  const send = (path: string, body: unknown, token = "") =>
    exports.default.fetch(
      new Request(`http://evil.example/api/v1${path}`, {
        method: "POST",
        headers: {
          ...FORGED,
          "cf-connecting-ip": ownAddress,
          "content-type": "application/json",
          authorization: `Bearer ${token}`,
        },
        body: JSON.stringify(body),
      }),
    );
  const [email, guest] = [newEmail(), newEmail()];
  const registered = await send("/auth/register", { email, password: PASSWORD });
  const { data } = (await registered.json()) as { data: { accessToken: string } };
  await send("/auth/forgot-password", { email });
  const verification = await mailTo(email, /Verify/);
  await verify(email);
  await send("/invitations", { email: guest, role: "viewer" }, data.accessToken);
  const mails = [verification, await mailTo(email, /Reset/), await mailTo(guest, /invited/)];
  for (const { text, html } of mails) {
    expect(text).toContain(`${env.APP_URL}/`);
    expect(text + html).not.toMatch(/evil|gopher/);
  }
});
