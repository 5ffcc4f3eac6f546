/** The forms of the console are built from the same operations as the routes of the API. */
import { findTargetHandler } from "hono/utils/handler";
import { describe, expect, test } from "vitest";
import { app } from "../../src/app";
import { docsOf } from "../../src/base/http/route-docs";
import type { Access } from "../../src/base/operation";
import { operators } from "../../src/service/operators/api";
import { call } from "../support/client";
import { visit } from "../support/console";
import { API_ROUTE } from "../support/console-forms";

/** The operation that a route is built from. */
function operationOf(method: string, path: string): Access | undefined {
  const handlers = app.routes.filter((route) => route.method === method && route.path === path);
  return handlers.flatMap(({ handler }) => docsOf(findTargetHandler(handler))?.access ?? []).at(0);
}

/** Forms with an operation of their own, and why. Its checks are those of the API's. */
const OWN: Record<string, string> = {
  "/sign-in": "takes the password first, and the code on the next page",
  "/sign-in/code": "takes the code, once the password was right",
  "/sign-in/address": "also takes what an app asks for, and starts the sign-on where the API gives its URL",
  "/sign-in/sign-on": "also takes what an app asks for",
  "/sign-out": "ends the session of the cookie, where the API takes a refresh token",
  "/security/two-factor/confirm": "also returns the first recovery codes",
  "/events": "publishes the payload as it was typed",
  "/webhooks/:id/filter": "also takes the payload to try",
  "/webhooks/:id/attempts/:attemptId/now": "the API has no such route",
  "/security/identities/:id": "takes the password in place of a step-up",
  "/security/identities/:id/remove": "the same",
  "/security/export": "the same",
  "/listeners/:id/close": "closes those of others too, for who manages the members",
  "/tenants/export": "the same",
  "/directories": "makes directories alone, for setup links that may make nothing else",
  "/operator/apps/:client/block": "says one thing, where the API takes either",
  "/operator/apps/:client/unblock": "the same",
};

/** What operators do in the console and the product with a platform key: the checks are those of operators. */
const OF_OPERATORS = new Set(["/operator/imports/:id/stop"]);

const checksOf = (access: Access | undefined) => ({ permission: access?.permission, limit: access?.limit });

const routes = [...new Set(app.routes.map(({ method, path }) => `${method} ${path}`))];
/** The pages of the platform's tenant are those of every tenant. */
const writes = routes.filter((route) => /^(POST|PUT|PATCH|DELETE) \/console(?!\/platform\/)(\/|$)/.test(route));

describe("every write of the console", () => {
  test("has a route of the API that does the same", () => {
    const forms = Object.keys(API_ROUTE).map((path) => `POST /console${path}`);
    expect(writes.toSorted()).toEqual(forms.toSorted());
  });

  test.each(Object.entries(API_ROUTE))("%s is built from the operation of %s", (form, route) => {
    const [method = "", path = ""] = route.split(" ");
    expect(routes).toContain(`${method} /api/v1${path}`);
    const [ofForm, ofRoute] = [operationOf("POST", `/console${form}`), operationOf(method, `/api/v1${path}`)];
    expect(ofForm).toBeDefined();
    if (OF_OPERATORS.has(form)) expect(checksOf(ofForm)).toEqual(checksOf(operators.endSessions));
    else if (form in OWN) expect(checksOf(ofForm)).toEqual(checksOf(ofRoute));
    else expect(ofForm).toBe(ofRoute);
  });
});

test("every page that asks for a permission or counts requests is built from an operation", () => {
  // The overview is shown without the permission too, and then reads and counts nothing.
  const named = ["GET /console"];
  const bare = app.routes.flatMap(({ method, path, handler }) => {
    const { limit, permission, access } = docsOf(findTargetHandler(handler)) ?? {};
    const isChecked = limit !== undefined || permission !== undefined;
    return path.startsWith("/console") && isChecked && !access ? [`${method} ${path}`] : [];
  });
  expect([...new Set(bare)]).toEqual(named);
});

test("the form and the API count together, and beyond the limit the form answers with a page", async () => {
  const browser = visit();
  const fields = { email: "a@example.com" };
  expect((await browser.post("/forgot-password", fields)).status).toBe(200);
  const headers = { "cf-connecting-ip": browser.address };
  expect((await call("POST", "/auth/forgot-password", { body: fields, headers })).status).toBe(200);
  const answers = await Promise.all(Array.from({ length: 10 }, () => browser.post("/forgot-password", fields)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(429)]);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.headers.get("ratelimit-remaining")).toBe("0");
  expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(refused?.html).toMatch(/<h1>Too many requests<\/h1>.*Try again in \d+ seconds\./s);
});
