/**
 * `/console/webhooks/:id/replays`: sending the events of a period again, with the rules of `POST /webhooks/:id/replay`.
 */
import { type Context, Hono } from "hono";
import type { Deps } from "../../platform/deps";
import { AppError, notFound } from "../../platform/errors";
import type { AppEnv } from "../../platform/http/env";
import { can } from "../../platform/http/permissions";
import { limit } from "../../platform/http/rate-limit";
import { DAY_MS, HOUR_MS, iso, MINUTE_MS } from "../../platform/time";
import { previewReplay, replaysOf, startReplay, stopReplay } from "../../webhooks/resend/replays/replays";
import { type ReplayPreview, replayListQuery, replayRequest } from "../../webhooks/resend/replays/schemas";
import { findSubscription } from "../../webhooks/subscriptions/store";
import { type Failure, parse } from "../failure";
import { readForm } from "../http/form";
import { fragment, page, redirectWithFlash, rerenderOnError } from "../http/page";
import { ReplayRows, Replays, type ReplayValues } from "./page";

const readLimit = limit("readDeliveries", "tenant");
const redeliveryLimit = limit("redeliver", "tenant");
const DEFAULTS: ReplayValues = { which: "missing", period: "24", types: "", rate: "600" };

const valuesOf = (read: (name: keyof ReplayValues) => string): ReplayValues => ({
  which: read("which"),
  period: read("period"),
  types: read("types"),
  rate: read("rate"),
});

/** What the API would take for the values of the form. */
function requestOf(deps: Deps, { which, period, types, rate }: ReplayValues) {
  const nowMs = deps.now();
  // A minute less, so that the oldest moment is still within the retention when it is checked.
  const longestMs = deps.config.retentionDays * DAY_MS - MINUTE_MS;
  const periodMs = period === "all" ? longestMs : Math.min(Number(period) * HOUR_MS, longestMs);
  if (!(periodMs > 0))
    throw new AppError("VALIDATION_FAILED", { details: [{ path: "period", message: "Choose one" }] });
  const eventTypes = types.split(/[\s,]+/).filter((type) => type !== "");
  return parse(replayRequest, {
    since: iso(nowMs - periodMs),
    which,
    ratePerMinute: Number(rate),
    ...(eventTypes.length === 0 ? {} : { eventTypes }),
  });
}

async function listOf(c: Context<AppEnv>, id: string) {
  const principal = c.get("principal");
  const { cursor } = parse(replayListQuery, { cursor: c.req.query("cursor") });
  const { data, nextCursor } = await replaysOf(c.get("deps"), principal, id, cursor);
  return { webhookId: id, replays: data, nextCursor, mayUpdate: principal.permissions.has("webhook.update") };
}

async function replaysPage(
  c: Context<AppEnv>,
  values: ReplayValues,
  { preview, failure, status = 200 }: { preview?: ReplayPreview; failure?: Failure; status?: number } = {},
) {
  const id = c.req.param("id") ?? "";
  const [list, webhook] = await Promise.all([listOf(c, id), findSubscription(c.get("deps"), c.get("principal"), id)]);
  if (!webhook) throw notFound("Webhook");
  return page(
    c,
    { title: `Replay to ${webhook.name}`, section: "subscriptions", status },
    <Replays {...list} webhookName={webhook.name} values={values} preview={preview} failure={failure} />,
  );
}

export const replayPages = new Hono<AppEnv>()
  .get("/:id/replays", can("webhook.read"), readLimit, (c) => replaysPage(c, DEFAULTS))
  .get("/:id/replays/preview", can("webhook.update"), redeliveryLimit, (c) => {
    const deps = c.get("deps");
    const values = valuesOf((name) => c.req.query(name) ?? DEFAULTS[name]);
    return rerenderOnError(
      c,
      async () => {
        const preview = await previewReplay(deps, c.get("principal"), c.req.param("id"), requestOf(deps, values));
        return replaysPage(c, values, { preview });
      },
      (failure, status, error) => {
        if (error.code === "NOT_FOUND") throw error;
        return replaysPage(c, values, { failure, status });
      },
    );
  })
  .get("/:id/replays/list", can("webhook.read"), readLimit, async (c) =>
    fragment(c, <ReplayRows {...(await listOf(c, c.req.param("id")))} />),
  )
  .post("/:id/replays", can("webhook.update"), redeliveryLimit, async (c) => {
    const deps = c.get("deps");
    const id = c.req.param("id");
    const form = await readForm(c);
    const values = valuesOf((name) => form.text(name));
    return rerenderOnError(
      c,
      async () => {
        await startReplay(deps, c.get("principal"), id, requestOf(deps, values), null);
        return redirectWithFlash(c, `/webhooks/${id}/replays`, "replayStarted");
      },
      (failure, status, error) => {
        if (error.code === "NOT_FOUND") throw error;
        return replaysPage(c, values, { failure, status });
      },
    );
  })
  .post("/:id/replays/:replayId/stop", can("webhook.update"), redeliveryLimit, async (c) => {
    const id = c.req.param("id");
    await stopReplay(c.get("deps"), c.get("principal"), id, c.req.param("replayId"));
    return redirectWithFlash(c, `/webhooks/${id}/replays`, "replayStopped");
  });
