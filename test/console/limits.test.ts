/** Each form of the console has the limit of the API route that does the same, and both count together. */
import { findTargetHandler } from "hono/utils/handler";
import { describe, expect, test } from "vitest";
import { app } from "../../src/app";
import { docsOf } from "../../src/platform/http/route-docs";
import { call } from "../support/client";
import { visit } from "../support/console";
import { API_ROUTE } from "../support/console-forms";

const limitsOf = (method: string, path: string) =>
  app.routes
    .filter((route) => route.method === method && route.path === path)
    .flatMap(({ handler }) => docsOf(findTargetHandler(handler))?.limit ?? []);
const exists = (method: string, path: string) =>
  app.routes.some((route) => route.method === method && route.path === path);

const writes = [
  ...new Set(
    app.routes
      .filter(({ method, path }) => !["ALL", "GET"].includes(method) && /^\/console(\/|$)/.test(path))
      .map(({ method, path }) => `${method} ${path.slice("/console".length)}`),
  ),
];

describe("every write of the console", () => {
  test("has a route of the API that does the same", () => {
    expect(writes.toSorted()).toEqual(
      Object.keys(API_ROUTE)
        .map((path) => `POST ${path}`)
        .toSorted(),
    );
  });

  test.each(Object.entries(API_ROUTE))("%s has the limit of %s", (form, route) => {
    const [method = "", path = ""] = route.split(" ");
    expect(exists(method, `/api/v1${path}`)).toBe(true);
    expect(limitsOf("POST", `/console${form}`)).toEqual(limitsOf(method, `/api/v1${path}`));
  });

  test("shows its limits to this test", () => {
    expect(limitsOf("POST", "/console/sign-in")).toEqual([{ rule: "login", per: "IP address" }]);
  });
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
