/** Who may register, and what needs a verified address. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import worker from "../../src";
import { parseConfig } from "../../src/base/config/config";
import { call, newEmail, PASSWORD, signUp, verify } from "../support/client";
import { holding } from "../support/console";
import { callUnder } from "../support/overrides";
import { invite } from "../support/people";

const register = (registration: string, fields: object) =>
  callUnder({ REGISTRATION: registration }, { path: "/api/v1/auth/register", body: { password: PASSWORD, ...fields } });

test("PERSONAL_TENANTS=off: only with an invitation, or into a tenant that is named", async () => {
  const answer = (fields: object) =>
    callUnder(
      { PERSONAL_TENANTS: "off" },
      { path: "/api/v1/auth/register", body: { email: newEmail(), password: PASSWORD, ...fields } },
    );
  const refused = await answer({});
  expect([refused.status, refused.body.code]).toEqual([403, "NO_TENANT"]);
  expect((await answer({ tenantName: "Analytical Engines" })).status).toBe(201);
  const email = newEmail();
  expect((await answer({ email, invitationToken: await invite(await signUp(), email, "viewer") })).status).toBe(201);
});

describe("REGISTRATION", () => {
  test("open: everybody registers", async () => {
    expect((await register("open", { email: newEmail() })).status).toBe(201);
  });

  test("invite: only with an invitation", async () => {
    const refused = await register("invite", { email: newEmail() });
    expect([refused.status, refused.body.code, refused.body.message]).toEqual([
      403,
      "FORBIDDEN",
      "Registration is by invitation.",
    ]);
    const email = newEmail();
    const invitationToken = await invite(await signUp(), email, "viewer");
    expect((await register("invite", { email, invitationToken: "forged" })).body.code).toBe("INVALID_TOKEN");
    expect((await register("invite", { email, invitationToken })).status).toBe(201);
  });

  test("domains: only addresses of these domains, and invited ones", async () => {
    const rule = "domains:acme.example, Beta.example";
    const answer = async (email: string) => (await register(rule, { email: `${crypto.randomUUID()}@${email}` })).status;
    expect(await answer("acme.example")).toBe(201);
    expect(await answer("BETA.example")).toBe(201);
    for (const domain of ["example.com", "sub.acme.example", "notacme.example", "acme.example.org"]) {
      expect([domain, await answer(domain)]).toEqual([domain, 403]);
    }
    const email = newEmail();
    const invitationToken = await invite(await signUp(), email, "viewer");
    expect((await register(rule, { email, invitationToken })).status).toBe(201);
  });

  test.each(["closed", "", "domains:", "domains:acme", "domains:a b.example", "domains:@acme.example"])(
    "refuses the value %j, and registration is by invitation",
    (value) => {
      const { refused, registration } = parseConfig({ ...env, REGISTRATION: value });
      expect(refused[0]).toMatch(/^REGISTRATION must be "open", "invite", or/);
      expect(registration).toEqual({ for: "invited" });
    },
  );

  describe("in the console", () => {
    const get = async (registration: string, path: string) => {
      const request = new Request<unknown, IncomingRequestCfProperties>(`http://postern.test/console${path}`);
      return (await worker.fetch(request, { ...env, REGISTRATION: registration }, createExecutionContext())).text();
    };
    const form = 'action="/console/register"';

    test("shows no form and no link to it when registration is by invitation", async () => {
      const page = await get("invite", "/register");
      expect(page).toContain("Registration is by invitation");
      expect(page).not.toContain(form);
      expect(await get("invite", "/sign-in")).not.toContain("/console/register");
    });

    test("shows the form to somebody with an invitation", async () => {
      expect(await get("invite", "/register?invitation=c0ffee")).toContain(form);
    });

    test("refuses a form that is posted nevertheless", async () => {
      const request = new Request<unknown, IncomingRequestCfProperties>("http://postern.test/console/register", {
        method: "POST",
        headers: { origin: "http://postern.test", "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ email: newEmail(), password: PASSWORD }).toString(),
      });
      const response = await worker.fetch(request, { ...env, REGISTRATION: "invite" }, createExecutionContext());
      expect(response.status).toBe(403);
      expect(await response.text()).not.toContain(form);
    });

    test.each(["open", "domains:acme.example"])("shows form and link when it is %s", async (registration) => {
      expect(await get(registration, "/register")).toContain(form);
      expect(await get(registration, "/sign-in")).toContain("/console/register");
    });
  });
});

describe("inviting", () => {
  const body = () => ({ email: newEmail(), role: "viewer" });
  const refusal = [403, "EMAIL_NOT_VERIFIED", "Verify your email to go on."];

  test("needs a verified address, over the API and in the console", async () => {
    const person = await signUp();
    const refused = await call("POST", "/invitations", { token: person.token, body: body() });
    expect([refused.status, refused.body.code, refused.body.message]).toEqual(refusal);
    const page = await (await holding(person)).post("/people/invitations", body());
    expect(page.status).toBe(403);
    expect(page.html).toContain("Verify your email to go on.");
    await verify(person.email);
    expect((await call("POST", "/invitations", { token: person.token, body: body() })).status).toBe(201);
  });

  test("does not need one where verification is optional", async () => {
    const { token } = await signUp();
    const request = { path: "/api/v1/invitations", token, body: body() };
    expect((await callUnder({ EMAIL_VERIFICATION: "optional" }, request)).status).toBe(201);
  });
});
