/** The routes of people take no API key, and odd spellings of a path are no way around a limit. */
import { expect, test } from "vitest";
import { app } from "../../src/app";
import { call, signUp } from "../support/client";

const PUBLIC =
  /(^GET .*\/oauth(\/|$)|^POST .*\/(login(\/options)?|code(\/verify)?|refresh|logout|verify-email|not-me)$)/;
const PUBLIC_TOO =
  /^POST .*\/(register(\/passkey(\/options)?)?|forgot-password|reset-password|2fa\/remove|oauth\/exchange|look-up)$/;
const SIGN_ON = /\/sign-on(\/|$)/;
const PEOPLE_ONLY = /^\/api\/v1\/(auth|api-keys|members|invitations)(\/|$)/;

const isPublic = (route: string) => [PUBLIC, PUBLIC_TOO, SIGN_ON].some((known) => known.test(route));

const peopleRoutes = [
  ...new Set(app.routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => `${method} ${path}`)),
].filter((route) => !isPublic(route) && PEOPLE_ONLY.test(route.split(" ")[1] ?? ""));

const request = (route: string, token?: string) => {
  const [method = "", path = ""] = route.split(" ");
  const concrete = path.replaceAll(/:\w+/g, crypto.randomUUID());
  return call(method, `/${concrete}`, { token });
};

test("an API key opens none of a person's routes", async () => {
  const person = await signUp();
  const created = await call("POST", "/api-keys", {
    token: person.token,
    body: { name: "all", scopes: ["member.manage", "member.read", "webhook.read"] },
  });
  expect(peopleRoutes.length).toBeGreaterThan(15);
  for (const route of peopleRoutes) {
    const answer = await request(route, created.body.data.key);
    expect([route, answer.status]).toEqual([route, 401]);
  }
});

test.each(["/api/v1//auth//login", "/api/v1/auth/login/", "/api/v1/auth%2flogin", "/api/v1/auth/Login"])(
  "%s is no way around the limit of login",
  async (path) => {
    const answer = await call("POST", `/${path}`, { body: { email: "a@example.com", password: "whatever it is" } });
    expect(answer.status === 404 || answer.headers.has("ratelimit-limit")).toBe(true);
    expect(Object.keys(answer.body).sort()).toEqual(["code", "message", "requestId"]);
  },
);
