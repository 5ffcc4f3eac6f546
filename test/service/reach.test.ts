/** What operations say of their requests, against written lists: who reaches them, and what a request may be like. */
import { exports } from "cloudflare:workers";
import { findTargetHandler } from "hono/utils/handler";
import { describe, expect, test } from "vitest";
import { app } from "../../src/app";
import { docsOf } from "../../src/base/http/route-docs";
import { type Access, callersOf, isOpenWhenSuspended } from "../../src/base/operation";
import { call } from "../support/client";
import { BODY_KIB, OPEN_WHEN_SUSPENDED, REACH, TAKES_COOKIES, TAKES_NDJSON } from "../support/reach";
import { MISSING, send } from "../support/routes";

const API = "/api/v1";
const ROUTES = Object.values(REACH).flat();
const pathOf = (route: string) => route.split(" ")[1]?.replaceAll(/:\w+/g, MISSING) ?? "";
const methodOf = (route: string) => route.split(" ")[0] ?? "";
const takesBody = (route: string) => methodOf(route) !== "GET";

/** What the handlers of each route declare, by its name. */
const accesses = new Map<string, Access[]>();
for (const { method, path, handler } of app.routes) {
  if (!path.startsWith(`${API}/`)) continue;
  const name = `${method} ${path.slice(API.length)}`;
  accesses.set(name, [...(accesses.get(name) ?? []), ...[docsOf(findTargetHandler(handler))?.access ?? []].flat()]);
}

const namesOf = (access: Access): string =>
  [callersOf(access)]
    .flat()
    .map((caller) => caller.replace("api-key", "API key").replace("-", " "))
    .join(", ");

test("the lists name every route under /api/v1, and no other", () => {
  const mounted = app.routes.filter(({ method, path }) => method !== "ALL" && path.startsWith(`${API}/`));
  const names = new Set(mounted.map(({ method, path }) => `${method} ${path.slice(API.length)}`));
  expect([...ROUTES].sort()).toEqual([...names].sort());
  const more = [OPEN_WHEN_SUSPENDED, Object.keys(BODY_KIB), TAKES_NDJSON, TAKES_COOKIES].flat();
  expect(more.filter((route) => !names.has(route))).toEqual([]);
});

/** What has no operation, and nobody to authenticate: the ticket of a socket. */
const OF_NO_CALLER = ["GET /listen/:id/socket"];

test("each route is open to the callers of its list, and to no other", () => {
  const listed = Object.entries(REACH).flatMap(([callers, routes]) => routes.map((route) => [route, [callers]]));
  const found = ROUTES.map((route) => [route, (accesses.get(route) ?? []).map(namesOf)]);
  expect(found).toEqual(listed.map(([route, callers]) => [route, OF_NO_CALLER.includes(`${route}`) ? [] : callers]));
});

// identity/policy.test.ts sends all others, and gets a refusal; both refusals have one condition.
test("what members of a suspended tenant can still ask for is in its list", () => {
  const isOpen = (route: string) => isOpenWhenSuspended(accesses.get(route)?.[0] ?? {});
  expect(ROUTES.filter((route) => isOpen(route)).sort()).toEqual([...OPEN_WHEN_SUSPENDED].sort());
});

describe("before anybody is authenticated", () => {
  test("a body is cut off above the limit of its operation", async () => {
    for (const route of ROUTES.filter(takesBody)) {
      const maxKiB = BODY_KIB[route] ?? 64;
      const raw = `"${"x".repeat(maxKiB * 1024)}"`;
      const { status, body } = await send(route, { raw });
      expect([route, status, body.message]).toEqual([route, 413, `The body is larger than ${maxKiB} KiB.`]);
    }
  });

  test("a body of another type than JSON is refused, but NDJSON where the operation takes it", async () => {
    const taking: string[] = [];
    for (const route of ROUTES.filter(takesBody)) {
      const headers = { "content-type": "application/x-ndjson" };
      const { status } = await call(methodOf(route), pathOf(route), { raw: "{}", headers });
      if (status !== 415) taking.push(route);
    }
    expect(taking).toEqual(TAKES_NDJSON);
  });

  test("pages of other origins may send cookies where a sign-in is bound to them", async () => {
    const taking: string[] = [];
    for (const route of ROUTES) {
      const headers = { origin: "https://app.example", "access-control-request-method": methodOf(route) };
      const answer = await exports.default.fetch(`http://postern.test${API}${pathOf(route)}`, {
        method: "OPTIONS",
        headers,
      });
      if (answer.headers.get("access-control-allow-credentials") === "true") taking.push(route);
    }
    expect(taking.sort()).toEqual([...TAKES_COOKIES].sort());
  });
});
