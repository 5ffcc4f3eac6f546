/** The log of the service: what operators did, which none of them can remove. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { call, eventually, PASSWORD, signUpVerified } from "../support/client";
import { mailsTo } from "../support/mailbox";
import { operate, operator, secondOperator } from "../support/operators";
import { codeOf } from "../support/two-factor";

const logFor = async (by: { token: string }, filter = "") =>
  (await operate(by, "GET", `/audit?limit=200${filter}`)).body.data as {
    action: string;
    actor: { name: string | null };
    meta: Record<string, unknown> | null;
    target: { id: string } | null;
  }[];

test("has what operators did with their names, also after they have deleted their own tenant and account", async () => {
  const [first, second] = [await operator(), await secondOperator()];
  const [person, tenant] = [await signUpVerified(), await signUpVerified()];
  await operate(first, "POST", `/people/${person.userId}/suspend`, { reason: "a test" });
  await operate(first, "POST", `/tenants/${tenant.tenantId}/suspend`, { reason: "another" });
  await operate(first, "GET", `/search?q=${person.userId}`);
  await operate(first, "GET", "/search?q=secret-word");
  const deleted = await call("DELETE", "/auth/me", {
    token: first.token,
    body: { password: PASSWORD, totp: codeOf(first.secret), deleteTenants: true },
  });
  expect(deleted.status).toBe(200);
  const events = (await logFor(second)).filter(({ actor }) => actor.name === first.email);
  const about = (id: string) => events.find(({ target }) => target?.id === id);
  expect(about(person.userId)).toMatchObject({ action: "operator.person_suspended", meta: { reason: "a test" } });
  expect(about(tenant.tenantId)).toMatchObject({ action: "operator.tenant_suspended", meta: { reason: "another" } });
  const searches = events.filter(({ action }) => action === "operator.searched");
  expect(searches.slice(0, 2).map(({ meta }) => meta)).toEqual([{ kind: "text" }, { kind: "id" }]);
  expect(JSON.stringify(events)).not.toContain("secret-word");
});

test("is read by operators only, page by page, and no other tenant has it", async () => {
  const by = await operator();
  const stranger = await signUpVerified();
  await operate(by, "GET", "/status");
  expect((await call("GET", "/operator/audit", { token: stranger.token })).status).toBe(404);
  const page = await operate(by, "GET", "/audit?limit=1");
  expect([page.status, page.body.data.length, typeof page.body.nextCursor]).toEqual([200, 1, "string"]);
  const own = (await call("GET", "/audit?limit=200", { token: by.token })).body.data as { action: string }[];
  expect(own.filter(({ action }) => action === "operator.status_read")).toEqual([]);
});

test("the other operators are mailed a suspension", async () => {
  const [second, first] = [await secondOperator(), await operator()];
  const person = await signUpVerified();
  await operate(first, "POST", `/people/${person.userId}/suspend`, { reason: "spam" });
  const said = `${first.email} suspended the person ${person.userId}.`;
  const mail = await eventually("the mail", async () => mailsTo(second.email).find(({ text }) => text.includes(said)));
  expect(mail.text).toContain("Reason: spam");
  expect(mailsTo(first.email).filter(({ text }) => text.includes(said))).toEqual([]);
  await eventually("the row", () =>
    env.DB.prepare("SELECT 1 FROM audit_events WHERE tenant_id = 'operators' AND target_id = ?")
      .bind(person.userId)
      .first(),
  );
});
