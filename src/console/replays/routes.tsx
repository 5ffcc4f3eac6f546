/**
 * `/console/webhooks/:id/replays`: sending the events of a period again, with the rules of `POST /webhooks/:id/replay`.
 */
import type { Context } from "hono";
import type { Deps } from "../../base/deps";
import { AppError, notFound } from "../../base/errors";
import type { AppEnv } from "../../base/http/env";
import { pathParam, requires } from "../../base/http/operation";
import { DAY_MS, HOUR_MS, iso, MINUTE_MS } from "../../base/time";
import { READ_DELIVERIES, RESEND } from "../../webhooks/access";
import { replays } from "../../webhooks/resend/replays/api";
import { outcomeOfReplay, previewReplay, replaysOf } from "../../webhooks/resend/replays/replays";
import { type ReplayPreview, replayListQuery, replayRequest } from "../../webhooks/resend/replays/schemas";
import { findSubscription } from "../../webhooks/subscriptions/store";
import { Say } from "../components/mount";
import { parse } from "../failure";
import { textsOf } from "../http/form";
import { flash, fragment, page, type Refused, rerenderOnError } from "../http/page";
import { Pages } from "../http/pages";
import { ReplayRows, Replays, type ReplayValues } from "./page";

const DEFAULTS: ReplayValues = { which: "missing", period: "24", types: "", rate: "600" };

const valuesOf = (read: (name: keyof ReplayValues) => string): ReplayValues =>
  textsOf(["which", "period", "types", "rate"], read);

/** What the API would take for the values of the form. */
function requestOf(deps: Deps, { which, period, types, rate }: ReplayValues) {
  const nowMs = deps.now();
  // A minute less, so that the oldest moment is still within the retention when it is checked.
  const longestMs = deps.config.retentionDays * DAY_MS - MINUTE_MS;
  const periodMs = period === "all" ? longestMs : Math.min(Number(period) * HOUR_MS, longestMs);
  if (!(periodMs > 0))
    throw new AppError("VALIDATION_FAILED", { details: [{ path: "period", message: "Choose one" }] });
  const eventTypes = types.split(/[\s,]+/).filter((type) => type !== "");
  return {
    since: iso(nowMs - periodMs),
    which,
    ratePerMinute: Number(rate),
    ...(eventTypes.length === 0 ? {} : { eventTypes }),
  };
}

async function listOf(c: Context<AppEnv>) {
  const principal = c.get("principal");
  const id = pathParam(c, "id");
  const { cursor } = parse(replayListQuery, { cursor: c.req.query("cursor") });
  const { data, nextCursor } = await replaysOf(c.get("deps"), principal, id, cursor);
  const [newest] = data;
  return {
    webhookId: id,
    replays: data,
    nextCursor,
    mayUpdate: principal.permissions.has("webhook.update"),
    outcome: newest && cursor === undefined ? await outcomeOfReplay(c.get("deps"), principal, newest) : null,
  };
}

interface ReplaysView {
  preview?: ReplayPreview;
  refused?: Refused;
}

async function replaysPage(c: Context<AppEnv>, values: ReplayValues, { preview, refused }: ReplaysView = {}) {
  if (refused?.error.code === "NOT_FOUND") throw refused.error;
  const subscription = findSubscription(c.get("deps"), c.get("principal"), pathParam(c, "id"));
  const [list, webhook] = await Promise.all([listOf(c), subscription]);
  if (!webhook) throw notFound("Webhook");
  return page(
    c,
    { title: <Say of="portal.replayTo" values={{ name: webhook.name }} />, section: "subscriptions", refused },
    <Replays {...list} webhookName={webhook.name} values={values} preview={preview} />,
  );
}

export const replayPages = new Pages()
  .get("/:id/replays", requires(READ_DELIVERIES), (c) => replaysPage(c, DEFAULTS))
  .get("/:id/replays/preview", requires(RESEND), (c) => {
    const deps = c.get("deps");
    const values = valuesOf((name) => c.req.query(name) ?? DEFAULTS[name]);
    return rerenderOnError(
      c,
      async () => {
        const request = parse(replayRequest, requestOf(deps, values));
        const preview = await previewReplay(deps, c.get("principal"), pathParam(c, "id"), request);
        return replaysPage(c, values, { preview });
      },
      (refused) => replaysPage(c, values, { refused }),
    );
  })
  .get("/:id/replays/list", requires(READ_DELIVERIES), async (c) => fragment(c, <ReplayRows {...(await listOf(c))} />))
  .form("/:id/replays", replays.start, {
    values: (sent) => valuesOf((name) => sent.text(name)),
    input: (values, c) => requestOf(c.get("deps"), values),
    done: flash("/webhooks/:id/replays", "replayStarted"),
    again: (c, refused, values) => replaysPage(c, values, { refused }),
  })
  .form("/:id/replays/:replayId/stop", replays.stop, { done: flash("/webhooks/:id/replays", "replayStopped") }).router;
