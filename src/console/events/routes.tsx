/** `/console/events`: the events, one of them, and publishing one by hand with the rules of `POST /events`. */

import type { Context } from "hono";
import * as z from "zod";
import type { AppEnv } from "../../base/http/env";
import { pathParam, requires } from "../../base/http/operation";
import { operation } from "../../base/operation";
import { id } from "../../base/schemas/schemas";
import { HOUR_MS } from "../../base/time";
import { PUBLISH, READ_DELIVERIES } from "../../webhooks/access";
import { findType } from "../../webhooks/event-types/store";
import { countOutcomes } from "../../webhooks/events/counts-store";
import { eventsOf, eventWithText } from "../../webhooks/events/outcomes";
import { publication } from "../../webhooks/events/publication";
import { publishEvents } from "../../webhooks/events/publish";
import { eventListQuery, eventQuery } from "../../webhooks/events/schemas";
import { Say } from "../components/mount";
import { parse } from "../failure";
import { textsOf } from "../http/form";
import { parseJson } from "../http/json";
import { fragment, jsonFile, page, type Refused, redirectWithFlash, rerenderOnError } from "../http/page";
import { Pages } from "../http/pages";
import { Deliveries, EventPage, type EventView } from "./detail";
import { EventList, type EventListView, type EventQuery, EventRows } from "./list";
import { type EventValues, PublishEvent } from "./publish-form";

const SECTION = "events";
const PAGE_EVENTS = 25;
/** The longest period that can be searched: 30 days. */
const MAX_HOURS = 720;
const EXAMPLE = { type: "", payload: '{\n  "order": 42\n}', correlationId: "", orderKey: "" };

const formPage = (c: Context<AppEnv>, values: EventValues, refused?: Refused) =>
  page(c, { title: "Publish an event", section: SECTION, refused }, <PublishEvent values={values} />);

/** The example of a declared type whose place is in the page's address; undefined without one. */
async function exampleOf(c: Context<AppEnv>, type: string): Promise<string | undefined> {
  const place = c.req.query("example");
  if (place === undefined) return undefined;
  const found = await findType(c.get("deps"), c.get("principal"), type);
  const example = found?.newest.examples?.[Number(place)];
  return example === undefined ? undefined : JSON.stringify(example, null, 2);
}

/** Publishes the payload as it was typed: parsing it could change its numbers. */
const publishing = operation({
  ...PUBLISH,
  schema: publication.and(z.object({ payloadText: z.string() })),
  verb: async ({ deps, principal, input: { type, payloadText: payload, correlationId = null, orderKey = null } }) => {
    const event = { type, payload, correlationId, orderKey, idempotencyKey: null };
    const [published] = await publishEvents(deps, principal, [event], 1);
    if (!published) throw new Error("no event was accepted");
    return published;
  },
});

async function viewOf(c: Context<AppEnv>): Promise<EventView> {
  const principal = c.get("principal");
  const { cursor } = parse(eventQuery, { cursor: c.req.query("cursor") });
  const { data, ...rest } = await eventWithText(c.get("deps"), principal, pathParam(c, "id"), cursor);
  return { event: data, cursor: cursor ?? "", mayPublish: principal.permissions.has("event.publish"), ...rest };
}

const listPage = (c: Context<AppEnv>, view: Omit<EventListView, "permissions">, refused?: Refused) =>
  page(
    c,
    { title: <Say of="portal.events" />, section: SECTION, refused },
    <EventList {...view} permissions={c.get("principal").permissions} />,
  );

/** The search in the page's address. */
const queryOf = (c: Context<AppEnv>): EventQuery =>
  textsOf(["q", "type", "period", "kind", "cursor"], (name) => c.req.query(name)?.trim() ?? "");

/** What an empty field leaves out. An id is searched as one, any other text as a correlation id. */
function filterOf({ q, type, period, kind, cursor }: EventQuery, nowMs: number) {
  const { hours, ...rest } = parse(search, {
    ...(cursor === "" ? {} : { cursor }),
    ...(type === "" ? {} : { type }),
    ...(period === "" ? {} : { hours: period }),
  });
  const isId = id.safeParse(q.toLowerCase()).success;
  const wanted = isId ? { id: q.toLowerCase() } : { correlationId: q };
  const onlyPublished = kind === "" && q === "" && type === "";
  return {
    ...rest,
    onlyPublished,
    ...(q === "" ? {} : wanted),
    ...(hours === undefined ? {} : { since: nowMs - hours * HOUR_MS }),
  };
}

/** The events of a search, and what became of them. */
async function foundBy(c: Context<AppEnv>, query: EventQuery): Promise<Omit<EventListView, "permissions">> {
  const [deps, principal] = [c.get("deps"), c.get("principal")];
  const filter = { limit: PAGE_EVENTS, ...filterOf(query, deps.now()) };
  const { data: events, nextCursor } = await eventsOf(deps, principal, filter);
  const ids = events.map((event) => event.id);
  const counts = new Map((await countOutcomes(deps, principal, ids)).map((count) => [count.eventId, count]));
  return { query, events, counts, nextCursor };
}

const search = eventListQuery.pick({ cursor: true, type: true }).extend({
  hours: z.coerce.number().int().min(1).max(MAX_HOURS).optional(),
});

export const eventPages = new Pages()
  .get("/", requires(READ_DELIVERIES), (c) => {
    const query = queryOf(c);
    return rerenderOnError(
      c,
      async () => listPage(c, await foundBy(c, query)),
      (refused) => listPage(c, { query, events: [], counts: new Map(), nextCursor: null }, refused),
    );
  })
  .get("/rows", requires(READ_DELIVERIES), async (c) => {
    const view = await foundBy(c, queryOf(c));
    return fragment(c, <EventRows {...view} permissions={c.get("principal").permissions} />);
  })
  .get("/new", requires({ permission: PUBLISH.permission }), async (c) => {
    const type = c.req.query("type") ?? "";
    return formPage(c, { ...EXAMPLE, type, payload: (await exampleOf(c, type)) ?? EXAMPLE.payload });
  })
  .form("/", publishing, {
    values: (sent) => ({
      ...sent.texts("payload", "correlationId", "orderKey"),
      type: sent.text("type").trim(),
    }),
    input: ({ type, payload, correlationId, orderKey }) => ({
      type,
      payload: parseJson("payload", payload),
      payloadText: payload,
      ...(correlationId === "" ? {} : { correlationId }),
      ...(orderKey === "" ? {} : { orderKey }),
    }),
    done: (c, published) => redirectWithFlash(c, `/events/${published.id}`, "published"),
    again: (c, refused, values) => formPage(c, values, refused),
  })
  .get("/:id", requires(READ_DELIVERIES), async (c) => {
    const view = await viewOf(c);
    return page(c, { title: view.event.type, section: SECTION }, <EventPage {...view} />);
  })
  .get("/:id/deliveries", requires(READ_DELIVERIES), async (c) => fragment(c, <Deliveries {...(await viewOf(c))} />))
  .get("/:id/payload", requires(READ_DELIVERIES), async (c) => {
    const { payloadText } = await viewOf(c);
    return c.body(payloadText ?? "null", 200, jsonFile(pathParam(c, "id")));
  }).router;
