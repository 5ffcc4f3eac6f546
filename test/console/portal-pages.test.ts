/** The pages that portals have, written by hand: a new page of deliveries is open to no portal unless it says so. */
import { findTargetHandler } from "hono/utils/handler";
import { expect, test } from "vitest";
import { app } from "../../src/app";
import { docsOf } from "../../src/base/http/route-docs";
import { callersOf } from "../../src/base/operation";

const REACHED = [
  "GET /event-types",
  "GET /event-types/named/:name",
  "GET /events",
  "GET /events/:id",
  "GET /events/:id/deliveries",
  "GET /events/:id/payload",
  "GET /events/rows",
  "GET /webhooks",
  "GET /webhooks/:id",
  "GET /webhooks/:id/attempts/:attemptId",
  "GET /webhooks/:id/attempts/:attemptId/payload",
  "GET /webhooks/:id/delete",
  "GET /webhooks/:id/edit",
  "GET /webhooks/:id/filter",
  "GET /webhooks/:id/log",
  "GET /webhooks/:id/replays",
  "GET /webhooks/:id/replays/list",
  "GET /webhooks/:id/replays/preview",
  "GET /webhooks/:id/secret/rotate",
  "GET /webhooks/:id/security",
  "GET /webhooks/:id/test",
  "GET /webhooks/calendar",
  "GET /webhooks/new",
  "POST /webhooks",
  "POST /webhooks/:id",
  "POST /webhooks/:id/attempts/:attemptId/now",
  "POST /webhooks/:id/attempts/:attemptId/retry",
  "POST /webhooks/:id/delete",
  "POST /webhooks/:id/filter",
  "POST /webhooks/:id/filter/test",
  "POST /webhooks/:id/pause",
  "POST /webhooks/:id/replays",
  "POST /webhooks/:id/replays/:replayId/stop",
  "POST /webhooks/:id/resume",
  "POST /webhooks/:id/secret/previous/delete",
  "POST /webhooks/:id/secret/rotate",
  "POST /webhooks/:id/test",
];

test("portals have the pages of this list, and no other", () => {
  const reached = app.routes
    .filter(({ method, path }) => method !== "ALL" && path.startsWith("/portal/"))
    .filter(({ handler }) => callersOf(docsOf(findTargetHandler(handler))?.access ?? {}).includes("portal"));
  const names = new Set(reached.map(({ method, path }) => `${method} ${path.slice("/portal".length)}`));
  expect([...names].sort()).toEqual(REACHED);
});
