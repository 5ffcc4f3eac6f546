/** `/console/webhooks`: subscriptions and their logs. */
import type { Context } from "hono";
import { decrypt } from "../../base/crypto/encryption";
import { invalid, notFound } from "../../base/errors";
import type { AppEnv } from "../../base/http/env";
import { pathParam, requires } from "../../base/http/operation";
import { WITH_PORTALS } from "../../base/operation";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { HOUR_MS } from "../../base/time";
import { LISTEN, READ_DELIVERIES } from "../../webhooks/access";
import { listTypes } from "../../webhooks/event-types/store";
import { logQuery } from "../../webhooks/log/schemas";
import { changeOf, INPUT_NAMES, textsOf } from "../../webhooks/options/delivery-options";
import { autoDisableHours } from "../../webhooks/options/disabling-options";
import { type HeadersView, viewOfHeaders } from "../../webhooks/options/header-options";
import { openHeaders } from "../../webhooks/options/headers";
import { countFailed } from "../../webhooks/resend/replays/replays";
import { secretOwner } from "../../webhooks/signing/keys";
import { newSecret } from "../../webhooks/signing/secret";
import { subscriptions } from "../../webhooks/subscriptions/api";
import type { AdvisedRow } from "../../webhooks/subscriptions/changes";
import { adviceOn } from "../../webhooks/subscriptions/unknown-types";
import { barsOf, periodOf, startOfPeriod } from "../components/chart-periods";
import { ConfirmationPage } from "../components/confirmation-page";
import { Say } from "../components/mount";
import { failureOf } from "../failure";
import type { Form } from "../http/form";
import { flash, fragment, type PageOptions, page, type Refused, redirectWithFlash } from "../http/page";
import { Pages } from "../http/pages";
import { requireSubscription } from "../http/subscription";
import { SubscriptionDetail } from "./detail";
import { FAILED_HOURS } from "./failures";
import { SubscriptionForm, type SubscriptionValues, titleOf, typesIn } from "./form";
import { SubscriptionList } from "./list";
import { LIST_ROWS, LISTED_STATES, readSubscriptionList } from "./list-store";
import { ListenerDetail } from "./listener-detail";
import { LogRows } from "./log";
import { nextAttemptOf } from "./next-attempt";
import { CalendarOf } from "./schedule";
import { findLog, findSubscriptionScreen, type Screen } from "./store";

/** Larger than any tenant's list, and small enough for SQLite. */
const MAX_FROM = 1_000_000;
const SECTION = "subscriptions";

function readValues(form: Form): SubscriptionValues {
  return {
    ...form.texts("name", "url", "secret"),
    events: [...form.list("types"), ...typesIn(form.text("events"))].join("\n"),
    delivery: form.given(INPUT_NAMES),
  };
}

const requestBody = ({ name, url, events, secret, delivery }: SubscriptionValues) => ({
  name,
  url: url.trim(),
  events: typesIn(events),
  ...(secret === "" ? {} : { secret }),
  delivery: changeOf(delivery),
});

/** The most declared types from which people choose; others are typed. */
const MAX_CHOICES = 200;

async function formPage(
  c: Context<AppEnv>,
  id: string | null,
  values: SubscriptionValues,
  { headers, refused }: { headers?: HeadersView; refused?: Refused } = {},
) {
  const deps = c.get("deps");
  const { types, nextCursor } = await listTypes(deps, c.get("principal"), { limit: MAX_CHOICES, archived: "exclude" });
  const names = types.map(({ name }) => name);
  // Those of the platform's own events are declared nowhere.
  const isSure = names.length > 0 && nextCursor === null && c.get("principal").tenantId !== PLATFORM_TENANT;
  const advice = isSure && !refused ? adviceOn(typesIn(values.events), names) : [];
  return page(
    c,
    { title: <Say of={titleOf(id)} />, section: SECTION, refused },
    <SubscriptionForm {...{ id, values, headers, types, advice }} deployment={deps.config} />,
  );
}

/**
 * The log's filter from the page's address, validated as in the API. An invalid filter is shown with its error and not
 * applied.
 */
function readLogQuery(c: Context<AppEnv>) {
  const given = {
    status: c.req.query("status") ?? "",
    eventType: c.req.query("eventType")?.trim() ?? "",
    cursor: c.req.query("cursor") ?? "",
  };
  const period = periodOf(c.req.query("period"));
  const query = { ...given, period: period === "24h" ? "" : period };
  const asked = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
  const checked = logQuery.safeParse(asked);
  if (checked.success) return { query, filter: checked.data };
  const refused = { failure: failureOf(invalid(checked.error)), status: 400 };
  return { query, filter: logQuery.parse({}), refused };
}

async function detailPage(c: Context<AppEnv>, id: string) {
  const deps = c.get("deps");
  const principal = c.get("principal");
  const { query, filter, refused } = readLogQuery(c);
  const nowMs = deps.now();
  const period = periodOf(c.req.query("period"));
  const screen = await findSubscriptionScreen(deps, principal, id, filter, {
    sinceMs: startOfPeriod(nowMs, period),
    failedSinceMs: nowMs - FAILED_HOURS * HOUR_MS,
    nowMs,
  });
  if (!screen) throw notFound("Webhook");
  const view = {
    bars: barsOf(screen.hours, { period, nowMs, pending: screen.subscription.pending }),
    period,
    keptDays: deps.config.retentionDays,
    log: { webhookId: id, query, ...screen.log, mayRetry: principal.permissions.has("webhook.update") },
    permissions: principal.permissions,
    refused,
  };
  return screen.subscription.isListener ? listenerPage(c, screen, view) : subscriptionPage(c, screen, view, nowMs);
}

/** What the pages of listeners and of other subscriptions show alike. */
type View = Pick<Parameters<typeof SubscriptionDetail>[0], "bars" | "period" | "keptDays" | "log" | "permissions"> &
  Pick<PageOptions, "refused">;

function listenerPage(c: Context<AppEnv>, { subscription }: Screen, { refused, ...view }: View) {
  const hasList = c.get("principal").kind !== "portal" && view.permissions.has(LISTEN.permission);
  return page(
    c,
    { title: subscription.name, section: hasList ? "listeners" : SECTION, refused },
    <ListenerDetail {...view} listener={{ ...subscription, isConnected: subscription.enabled }} hasList={hasList} />,
  );
}

async function subscriptionPage(
  c: Context<AppEnv>,
  { subscription, waiting }: Screen,
  { refused, ...view }: View,
  nowMs: number,
) {
  const deps = c.get("deps");
  const principal = c.get("principal");
  const { secretSealed, headersSealed, hasFailed, ...plain } = subscription;
  const headers = await headersOf(c, { id: plain.id, headersSealed });
  const disabledAfterHours = autoDisableHours(plain.options, deps.config.autoDisableHours);
  const failed = hasFailed
    ? await countFailed(deps, principal, plain.id, FAILED_HOURS * HOUR_MS)
    : { matched: 0, isPartial: false };
  // Who may only read could forge deliveries with it.
  const isShown = c.req.query("secret") === "shown" && principal.permissions.has("webhook.update");
  const secret = isShown ? await decrypt(deps.keys, secretOwner(plain.id), secretSealed) : null;
  return page(
    c,
    { title: plain.name, section: SECTION, refused },
    <SubscriptionDetail
      {...view}
      subscription={{
        ...plain,
        secret,
        headers,
        isCooling: plain.cooldownUntil > nowMs,
        disabledAfterHours,
        nowMs,
        defaultAutoDisableHours: deps.config.autoDisableHours,
      }}
      next={waiting && { ...waiting, ...nextAttemptOf(waiting, plain.options?.retry?.schedule, nowMs) }}
      failed={failed}
    />,
  );
}

const headersOf = async (c: Context<AppEnv>, row: { id: string; headersSealed: string | null }) =>
  viewOfHeaders(await openHeaders(c.get("deps"), row));

/** Leads back to the form if a type may be mistyped. */
const afterSaving = (c: Context<AppEnv>, { id, warnings }: AdvisedRow, saved: "subscribed" | "changed") =>
  warnings.length > 0 && c.get("principal").permissions.has("webhook.update")
    ? redirectWithFlash(c, `/webhooks/${id}/edit`, "unknownType")
    : redirectWithFlash(c, `/webhooks/${id}`, saved);

/** Shows the form of a subscription again, with the headers that it has. */
async function editAgain(c: Context<AppEnv>, refused: Refused, values: SubscriptionValues) {
  if (refused.error.code === "NOT_FOUND") throw refused.error;
  const row = await requireSubscription(c);
  return formPage(c, row.id, values, { headers: await headersOf(c, row), refused });
}

export const subscriptionPages = new Pages()
  .get("/", requires(READ_DELIVERIES), async (c) => {
    const deps = c.get("deps");
    const principal = c.get("principal");
    const search = c.req.query("q")?.trim() ?? "";
    const from = Math.min(Math.max(0, Number.parseInt(c.req.query("from") ?? "", 10) || 0), MAX_FROM);
    const nowMs = deps.now();
    const state = LISTED_STATES.find((name) => name === c.req.query("state"));
    const query = { search, state, from, sinceMs: startOfPeriod(nowMs, "24h"), nowMs };
    const found = await readSubscriptionList(deps, principal, query);
    const hoursOf = Map.groupBy(found.hours, (hour) => hour.subscriptionId);
    const rows = found.rows.map((row) => ({
      ...row,
      bars: barsOf(hoursOf.get(row.id) ?? [], { period: "24h", nowMs }),
    }));
    const next = found.isLast ? null : from + LIST_ROWS;
    return page(
      c,
      { title: <Say of="portal.subscriptions" />, section: SECTION },
      <SubscriptionList {...{ search, state, rows, next }} permissions={principal.permissions} />,
    );
  })
  .get("/new", requires({ callers: WITH_PORTALS, permission: "webhook.create" }), (c) =>
    formPage(c, null, {
      name: "",
      url: "",
      events: "",
      secret: newSecret(),
      delivery: textsOf(null),
    }),
  )
  .get("/calendar", requires(READ_DELIVERIES), (c) => fragment(c, <CalendarOf texts={c.req.query()} />))
  .get("/:id", requires(READ_DELIVERIES), (c) => detailPage(c, pathParam(c, "id")))
  .get("/:id/log", requires(READ_DELIVERIES), async (c) => {
    const { query, filter } = readLogQuery(c);
    const id = pathParam(c, "id");
    const principal = c.get("principal");
    const log = await findLog(c.get("deps"), principal, id, filter);
    if (!log) throw notFound("Webhook");
    return fragment(
      c,
      <LogRows webhookId={id} query={query} {...log} mayRetry={principal.permissions.has("webhook.update")} />,
    );
  })
  .form("/", subscriptions.create, {
    values: readValues,
    input: requestBody,
    done: (c, saved) => afterSaving(c, saved, "subscribed"),
    again: (c, refused, values) => formPage(c, null, values, { refused }),
  })
  .get("/:id/edit", requires({ callers: WITH_PORTALS, permission: "webhook.update" }), async (c) => {
    const row = await requireSubscription(c);
    const { id, name, url, events, options } = row;
    const values = {
      name,
      url,
      events: events.join("\n"),
      secret: "",
      delivery: textsOf(options),
    };
    return formPage(c, id, values, { headers: await headersOf(c, row) });
  })
  .form("/:id", subscriptions.change, {
    values: readValues,
    input: requestBody,
    done: (c, saved) => afterSaving(c, saved, "changed"),
    again: editAgain,
  })
  .get("/:id/delete", requires({ callers: WITH_PORTALS, permission: "webhook.delete" }), async (c) => {
    const { id, name } = await requireSubscription(c);
    return page(
      c,
      { title: <Say of="portal.deleteSubscription" />, section: SECTION },
      <ConfirmationPage of="subscription" name={name} action={`/webhooks/${id}/delete`} cancel={`/webhooks/${id}`} />,
    );
  })
  .form("/:id/delete", subscriptions.delete, { done: flash("/webhooks", "deleted") }).router;
