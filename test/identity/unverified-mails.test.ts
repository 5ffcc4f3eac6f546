/** With EMAIL_VERIFICATION=optional, notices go to unverified addresses, whose owners may never have registered. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import type { MailJob } from "../../src/base/mail/job";
import { prepareMail } from "../../src/mailer/prepare";
import { renderMail } from "../../src/mailer/render";
import { PASSWORD, type Person, signUp, signUpVerified } from "../support/client";
import { callUnder } from "../support/overrides";

const WORDS = "Locked, see https://evil.example/unlock";

/** What somebody can have mailed about an account that they registered, with words of theirs wherever they can be. */
const NOTICES: ((known: { id: string; userId: string }) => MailJob)[] = [
  (known) => ({ ...known, kind: "apiKeyCreated", keyName: WORDS }),
  (known) => ({ ...known, kind: "passkeyAdded", passkeyName: WORDS }),
  (known) => ({ ...known, kind: "passkeyRemoved", passkeyName: WORDS }),
  (known) => ({ ...known, kind: "tenantDeleted", tenantName: WORDS }),
  (known) => ({ ...known, kind: "tenantNotice", tenantName: WORDS, news: { what: "exported", by: WORDS } }),
  (known) => ({ ...known, kind: "passwordChanged" }),
  (known) => ({ ...known, kind: "twoFactorChanged", enabled: true }),
  (known) => ({ ...known, kind: "subscriptionAlert", tenantName: WORDS, items: [FAILING], more: 0 }),
];

const FAILING = {
  webhookId: "w",
  name: WORDS,
  host: "evil.example",
  state: "failing" as const,
  isNew: true,
  since: 1,
  disablesAt: null,
  failures: 10,
  error: null,
};

async function mailAbout(person: Person, notice: (typeof NOTICES)[number]): Promise<string | null> {
  const deps = await createDeps(env, { waitUntil: () => {} });
  const optional = { ...deps, config: { ...deps.config, emailVerification: "optional" as const } };
  const job = notice({ id: crypto.randomUUID(), userId: person.userId });
  const prepared = await prepareMail(optional, job);
  return prepared && `${prepared.mail.subject} ${JSON.stringify(renderMail(prepared.mail, deps.config.brand))}`;
}

/** A name and an API key with these words, as a stranger would choose them. */
async function withWords(person: Person): Promise<Person> {
  await env.DB.prepare("UPDATE users SET name = ? WHERE id = ?").bind(WORDS, person.userId).run();
  await env.DB.prepare("UPDATE tenants SET name = ? WHERE id = ?").bind(WORDS, person.tenantId).run();
  return person;
}

describe.each(NOTICES.map((notice) => [notice({ id: "", userId: "" }).kind, notice] as const))("%s", (_, notice) => {
  test("has no words of whoever registered an unverified address", async () => {
    const mail = await mailAbout(await withWords(await signUp()), notice);
    expect(mail ?? "").not.toMatch(/evil\.example|Locked/);
  });

  test("says everything to a verified address", async () => {
    expect(await mailAbout(await withWords(await signUpVerified()), notice)).toMatch(/evil\.example/);
  });
});

test("the confirmation of a deletion greets an unverified address without the name", async () => {
  const person = await withWords(await signUp());
  const options = {
    path: "/api/v1/auth/me",
    method: "DELETE",
    body: { password: PASSWORD, deleteTenants: true },
    token: person.token,
  };
  expect((await callUnder({ EMAIL_VERIFICATION: "optional" }, options)).status).toBe(200);
  const purge = env.DB.prepare("SELECT mail_to AS mailTo, name FROM purges WHERE subject_id = ?").bind(person.userId);
  expect(await purge.first()).toEqual({ mailTo: person.email, name: null });
});
