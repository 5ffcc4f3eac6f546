/** Changing owners in the console ten minutes after the sign-in: the page asks for a confirmation, then carries on. */
import { beforeEach, describe, expect, test } from "vitest";
import { call, newEmail, PASSWORD, type Person, signUpVerified } from "../support/client";
import { type ConsoleBrowser, holding } from "../support/console";
import { joinTenant, tire } from "../support/people";

let owner: Person;
let browser: ConsoleBrowser;

beforeEach(async () => {
  owner = await signUpVerified();
  browser = await holding(owner);
});

const roles = async () => {
  const { data } = (await call("GET", "/members", { token: owner.token })).body;
  return data.map(({ role }: { role: string }) => role);
};

/** Posts a form, confirms the session as the page asks, and returns the page that follows. */
async function confirmed(path: string, fields: Record<string, string> = {}) {
  const asked = await browser.post(path, fields);
  expect([asked.status, asked.location]).toEqual([303, expect.stringMatching(/^\/console\/security\/confirm\?to=/)]);
  const { html } = await browser.follow(asked);
  const [, to = ""] = html.match(/name="to" value="([^"]+)"/) ?? [];
  const back = await browser.post("/security/confirm", { password: PASSWORD, to: to.replaceAll("&amp;", "&") });
  return browser.follow(back);
}

describe("ten minutes after the sign-in", () => {
  test.each([
    ["viewer", "owner"],
    ["owner", "admin"],
  ])("changing the role from %s to %s asks for the password, then for the change again", async (before, after) => {
    const member = await joinTenant(owner, before);
    await tire(owner);
    const path = `/people/${member.userId}/role`;
    const { html } = await confirmed(path, { role: after });
    expect(await roles()).toEqual(["owner", before]);
    expect(html).toContain(`From ${before} to ${after}.`);
    expect(html).toContain(`action="/console${path}"`);
    expect(html).toContain(`name="role" value="${after}"`);
    expect((await browser.follow(await browser.post(path, { role: after }))).html).toContain("Role changed.");
    expect(await roles()).toEqual(["owner", after]);
  });

  test("removing an owner asks for the password, then whether to remove them", async () => {
    const member = await joinTenant(owner, "owner");
    await tire(owner);
    const path = `/people/${member.userId}/remove`;
    expect((await confirmed(path)).html).toContain(`action="/console${path}"`);
    expect(await roles()).toEqual(["owner", "owner"]);
    expect((await browser.post(path)).location).toBe("/console/people");
    expect(await roles()).toEqual(["owner"]);
  });

  test("inviting an owner asks for the password, then shows the form as it was filled in", async () => {
    const email = newEmail().replace("@", "+o'b@");
    await tire(owner);
    const { html } = await confirmed("/people/invitations", { email, role: "owner" });
    expect(html).toContain(`value="${email.replace("'", "&#39;")}"`);
    expect(html).toMatch(/<option value="owner" selected=""/);
    expect(html).not.toContain("Revoke");
    const sent = await browser.follow(await browser.post("/people/invitations", { email, role: "owner" }));
    expect(sent.html).toContain(`Revoke the invitation for ${email.replace("'", "&#39;")}`);
  });

  test("leaving as an owner asks for the password, then whether to leave", async () => {
    await joinTenant(owner, "owner");
    await tire(owner);
    expect((await confirmed("/tenants/leave")).html).toContain('action="/console/tenants/leave"');
    expect((await browser.post("/tenants/leave")).location).toBe("/console/sign-in");
  });

  test("other roles need no confirmation", async () => {
    const member = await joinTenant(owner, "viewer");
    await tire(owner);
    const done = [
      await browser.post(`/people/${member.userId}/role`, { role: "admin" }),
      await browser.post(`/people/${member.userId}/remove`),
      await browser.post("/people/invitations", { email: newEmail(), role: "admin" }),
    ];
    expect(done.map(({ location }) => location)).toEqual(Array(3).fill("/console/people"));
  });
});

test("the page that asks again is for managers and members, and for roles that exist", async () => {
  const viewer = await joinTenant(owner, "viewer");
  const path = `/people/${viewer.userId}/role`;
  expect((await browser.get(`${path}?role=king`)).status).toBe(400);
  expect((await browser.get(`/people/${(await signUpVerified()).userId}/role?role=owner`)).status).toBe(404);
  expect((await (await holding(viewer)).get(`${path}?role=owner`)).status).toBe(403);
});
