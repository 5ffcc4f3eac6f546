/** The console's page Security of a subscription. */
import { expect, test } from "vitest";
import { call, setRole, signUp } from "../support/client";
import { holding, ORIGIN } from "../support/console";
import { newInbox, subscribe } from "../support/receiver";

async function opened(fields: Record<string, unknown> = {}) {
  const person = await signUp();
  const id = await subscribe(person, newInbox("200").url, { secret: "the first secret", ...fields });
  const read = async () => (await call("GET", `/webhooks/${id}`, { token: person.token })).body.data;
  return { person, id, path: `/webhooks/${id}`, browser: await holding(person), read };
}

test("a secret is rotated in two steps: how long the old one stays, then the new one to copy", async () => {
  const { path, browser, read } = await opened();
  expect((await browser.get(path)).html).toContain(`/console${path}/security`);
  const first = await browser.get(`${path}/secret/rotate`);
  expect([first.status, first.html.includes("The old one stays valid for")]).toEqual([200, true]);
  const second = await browser.post(`${path}/secret/rotate`, { overlapSeconds: "3600" });
  const { secret } = await read();
  expect(second.status).toBe(200);
  expect(second.html.replaceAll("&#43;", "+")).toContain(secret);
  expect(second.html).toMatch(/The old one is valid until <time/);
  const { html } = await browser.get(`${path}/security`);
  expect(html).toMatch(/Old secret: valid until <time/);
  expect(html).not.toContain(secret);
  const ended = await browser.follow(await browser.post(`${path}/secret/previous/delete`));
  expect(ended.html).toContain("Old secrets and keys have ended.");
  expect(ended.html).not.toContain("Old secret: valid until");
});

test("the page has a verifier in eight languages, and the secret for those who may see it, once they ask", async () => {
  const { person, path, browser } = await opened();
  const { html } = await browser.get(`${path}/security`);
  const [, ...shown] = [...html.matchAll(/<summary>([^<]+)<\/summary>/g)].map(([, language]) => language);
  expect(shown).toEqual(["Node (TypeScript)", "Python", "Go", "Ruby", "PHP", "Java", "C#", "Shell"]);
  expect(html).toContain("def genuine?(body, headers, *secrets)");
  expect(html).not.toContain("the first secret");
  const asked = (await browser.get(`${path}/security?secret=shown`)).html;
  expect(asked).toContain("WEBHOOK_SECRET=&#39;the first secret&#39;");
  await setRole(person, "viewer");
  const viewed = (await browser.get(`${path}/security?secret=shown`)).html;
  expect([viewed.includes("the first secret"), viewed.includes("def genuine?")]).toEqual([false, true]);
});

test("public keys are listed, and rotated like secrets", async () => {
  const { id, path, browser } = await opened({ delivery: { signature: "v1+v1a" } });
  const keys = (await call("GET", `//.well-known/webhook-keys/${id}`)).body;
  const { html } = await browser.get(`${path}/security`);
  expect([html.includes(keys.whpk[0]), html.includes(`${ORIGIN}/.well-known/webhook-keys/${id}`)]).toEqual([
    true,
    true,
  ]);
  const rotated = await browser.post(`${path}/secret/rotate`, { kind: "v1a", overlapSeconds: "0" });
  expect([rotated.status, rotated.html.includes("begins to sign in 20 minutes")]).toEqual([200, true]);
  expect((await browser.get(`${path}/security`)).html.match(/whpk_/g)?.length).toBeGreaterThanOrEqual(2);
});

test("a refused rotation shows the form again, and viewers see the page without buttons", async () => {
  const { person, path, browser, read } = await opened();
  for (const fields of [{ overlapSeconds: "-1" }, { overlapSeconds: "x" }, { kind: "v1a" }]) {
    expect((await browser.post(`${path}/secret/rotate`, fields)).status).toBe(400);
  }
  expect((await read()).version).toBe(0);
  await setRole(person, "viewer");
  const { status, html } = await browser.get(`${path}/security`);
  expect([status, html.includes("secret/rotate")]).toEqual([200, false]);
  expect((await browser.get(`${path}/secret/rotate`)).status).toBe(403);
});

test("signatures, format and headers are set in the form; stored values of headers are never shown, and typed ones again after an error only", async () => {
  const { path, browser, read } = await opened();
  const { name, url } = await read();
  const fields = { name, url, events: "OrderPaid", secret: "", signature: "v1+v1a", format: "standard" };
  const save = (headers: string) => browser.post(path, { ...fields, headers });
  expect((await save("Authorization: Bearer recognisable-value\nX-Team: blue")).status).toBe(303);
  const last4 = "alue";
  expect((await read()).delivery).toEqual({
    signature: "v1+v1a",
    format: "standard",
    headers: { Authorization: { set: true, last4 }, "X-Team": { set: true } },
  });
  for (const page of [path, `${path}/edit`]) {
    const { html } = await browser.get(page);
    expect(html).toMatch(/Authorization<\/code> <span class="muted">value ends in alue</);
    expect(html).toMatch(/X-Team<\/code> <span class="muted">value hidden</);
  }
  expect((await save("X-Team:")).status).toBe(303);
  expect(Object.keys((await read()).delivery.headers)).toEqual(["Authorization"]);
  const refused = await save("Host: recognisable-value");
  expect(refused.status).toBe(400);
  expect(refused.html).toContain('id="headers-error"');
  expect(refused.html).toContain("Authorization</code>");
  expect(refused.html).toContain("Host: recognisable-value</textarea>");
  for (const page of [await browser.get(path), await browser.get(`${path}/edit`)]) {
    expect(page.html).not.toContain("recognisable-value");
  }
});
