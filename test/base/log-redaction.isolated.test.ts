/**
 * No secret reaches the log: every route is used rightly and wrongly, the consumers too, and whatever was secret is
 * searched for in all output.
 */
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { app } from "../../src/app";
import { eventually, newEmail } from "../support/client";
import { visit } from "../support/console";
import { ACCOUNT_USES } from "../support/secret-uses/accounts";
import {
  ask,
  captured,
  foundIn,
  fresh,
  keep,
  keepFields,
  login,
  secrets,
  verified,
} from "../support/secret-uses/caller";
import { PLATFORM_USES } from "../support/secret-uses/platform";
import { TENANT_USES } from "../support/secret-uses/tenants";

test.each(Object.entries({ ...ACCOUNT_USES, ...TENANT_USES, ...PLATFORM_USES }))("%s", (_, use) => use());

test("faults: a mail that the provider refuses, a database that fails", async () => {
  const user = await verified();
  vi.spyOn(env.EMAIL, "send").mockImplementationOnce(async (mail) => {
    const { text } = mail as unknown as { text: string };
    keep(text.match(/token=([0-9a-f]+)/)?.[1]);
    throw new Error(`refused: ${text}`);
  });
  await ask("POST", "/auth/forgot-password", { email: user.email });
  await eventually("the failure is logged", async () => captured.lines("mail not sent").length > 0);

  await env.DB.prepare("ALTER TABLE users RENAME TO gone").run();
  try {
    await ask("POST", "/auth/register", { email: newEmail(), password: fresh("password") });
    await login(user);
    await ask("POST", "/auth/reset-password", { token: fresh("mailed-token"), newPassword: fresh("password") });
    await ask("POST", "/auth/change-password", { currentPassword: user.password, newPassword: fresh("p") }, user.token);
  } finally {
    await env.DB.prepare("ALTER TABLE gone RENAME TO users").run();
  }
  expect(captured.lines("unexpected error").length).toBeGreaterThan(1);
});

test("the console's forms that hold secrets", async () => {
  const browser = visit();
  const form = async (path: string, fields: Record<string, string> = {}) => {
    keepFields(fields);
    const page = await browser.post(path, fields);
    for (const value of browser.jar.values()) keep(value);
    return page;
  };
  const user = await verified();
  const { email } = user;
  await form("/sign-in", { email, password: fresh("password") });
  await form("/register", { email, password: fresh("password") });
  await form("/verify-email", { token: fresh("mailed-token") });
  await form("/reset-password", { token: fresh("mailed-token"), newPassword: fresh("password") });
  expect((await form("/sign-in", { email, password: user.password })).status).toBe(303);
  await form("/webhooks", { name: "hook", url: "no url", events: "*", secret: fresh("secret") });
  await form("/api-keys", { name: "key", scopes: "webhook.read" });
  await form("/security/password", { currentPassword: fresh("password"), newPassword: fresh("password") });
  const enrolment = await form("/security/two-factor");
  keep(enrolment.html.match(/[A-Z2-7]{32}/)?.[0]);
  await form("/security/two-factor/confirm", { token: fresh("code") });
  expect(captured.lines("request").filter(({ route }) => route.startsWith("/console/")).length).toBeGreaterThan(9);
});

/** A redirection leads a browser on. */
const useOf = (status: number) => (status < 400 ? "rightly" : status < 500 ? "wrongly" : "in a fault");

test("every route that changes something was used rightly and wrongly", () => {
  const seen = new Set(
    captured.lines("request").map(({ method, route, status }) => `${method} ${route} ${useOf(status)}`),
  );
  const changing = app.routes.filter(
    ({ method, path }) => path.startsWith("/api/") && !["ALL", "GET"].includes(method),
  );
  const wanted = changing.flatMap(({ method, path }) => [`${method} ${path} rightly`, `${method} ${path} wrongly`]);
  expect([...new Set(wanted)].filter((use) => !seen.has(use))).toEqual([]);
});

test("none of the secrets occurs in the output", () => {
  expect(secrets.size).toBeGreaterThan(80);
  expect(foundIn(captured.text.join("\n"))).toEqual([]);
});
