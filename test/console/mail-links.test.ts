/** What the links in mails lead to in the console. */
import { describe, expect, test } from "vitest";
import { newEmail, PASSWORD, signUp, signUpVerified } from "../support/client";
import { holding, signedIn, visit } from "../support/console";
import { mailTo, tokenIn } from "../support/mailbox";
import { joinTenant } from "../support/people";

describe("mail links", () => {
  test("verify an address when the button is pressed, not when the link is opened", async () => {
    const { email } = await signUp();
    const link = (await mailTo(email, /Verify/)).text.match(/\/console(\/verify-email\?\S+)/)?.[1] ?? "";
    const browser = visit();
    const opened = await browser.get(link);
    expect([opened.status, (await browser.post("/sign-in", { email, password: PASSWORD })).status]).toEqual([200, 403]);
    const token = opened.html.match(/name="token" value="([^"]+)"/)?.[1] ?? "";
    const verified = await browser.follow(await browser.post("/verify-email", { token }));
    expect(verified.html).toContain("Your email address is verified.");
    expect((await browser.post("/sign-in", { email, password: PASSWORD })).status).toBe(303);
    expect((await browser.post("/verify-email", { token: "nonsense" })).status).toBe(400);
  });

  test("reset the password and end the existing sessions", async () => {
    const person = await signUp();
    const browser = await signedIn(person);
    const asked = await browser.post("/forgot-password", { email: person.email });
    expect(asked.html).toContain("If an account exists for that email");
    const token = tokenIn(await mailTo(person.email, /Reset/));
    const weak = await browser.post("/reset-password", { token, newPassword: "short" });
    expect([weak.status, weak.html.includes('id="newPassword-error"')]).toEqual([400, true]);
    const reset = await browser.follow(
      await browser.post("/reset-password", { token, newPassword: "another pass phrase" }),
    );
    expect(reset.html).toContain("Your password is set.");
    expect((await browser.get("")).status).toBe(303);
    expect((await browser.post("/sign-in", { email: person.email, password: "another pass phrase" })).status).toBe(303);
  });

  test("let a new user join with a new account, and an existing user with the current one", async () => {
    const owner = await signUpVerified();
    const boss = await holding(owner);
    const [fresh, known] = [newEmail(), await signUp()];
    for (const email of [fresh, known.email]) {
      expect((await boss.post("/people/invitations", { email, role: "viewer" })).location).toBe("/console/people");
    }
    const newcomer = visit();
    const token = tokenIn(await mailTo(fresh, /invited/));
    expect((await newcomer.get(`/accept-invitation?token=${token}`)).html).toContain(`register?invitation=${token}`);
    const joined = await newcomer.post("/register", { email: fresh, password: PASSWORD, invitationToken: token });
    expect((await newcomer.follow(joined)).html).toContain("viewer");
    const user = await signedIn(known);
    const accepted = await user.post("/accept-invitation", { token: tokenIn(await mailTo(known.email, /invited/)) });
    expect((await user.follow(accepted)).html).toContain("You have joined.");
    await user.post("/tenants/switch", { tenantId: owner.tenantId });
    expect((await user.get("")).html).toContain("viewer");
    expect((await joinTenant(owner, "viewer")).tenantId).toBe(owner.tenantId);
  });
});
