/** `/console/events`: publishing an event by hand, with the rules of `POST /events`. */
import { type Context, Hono } from "hono";
import { z } from "zod";
import { AppError } from "../../platform/errors";
import type { AppEnv } from "../../platform/http/env";
import { pathParam, requires } from "../../platform/http/operation";
import { operation } from "../../platform/operation";
import { PUBLISH, READ_DELIVERIES } from "../../webhooks/access";
import { eventDetail } from "../../webhooks/events/outcomes";
import { publication } from "../../webhooks/events/publication";
import { publishEvents } from "../../webhooks/events/publish";
import { eventQuery } from "../../webhooks/events/schemas";
import { parse } from "../failure";
import { form } from "../http/form";
import { fragment, page, type Refused, redirectWithFlash } from "../http/page";
import { Deliveries, EventPage, type EventValues, type EventView, PublishEvent } from "./pages";

const SECTION = "events";
const EXAMPLE = { type: "", payload: '{\n  "order": 42\n}', correlationId: "" };

const formPage = (c: Context<AppEnv>, values: EventValues, refused?: Refused) =>
  page(
    c,
    { title: "Publish an event", section: SECTION, status: refused?.status },
    <PublishEvent values={values} failure={refused?.failure} />,
  );

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? `Is not valid JSON: ${error.message}` : "Is not valid JSON";
    throw new AppError("VALIDATION_FAILED", { details: [{ path: "payload", message }] });
  }
}

/** Publishes the payload as it was typed: parsing it could change its numbers. */
const publishing = operation({
  ...PUBLISH,
  schema: publication.and(z.object({ payloadText: z.string() })),
  verb: async ({ deps, principal, input: { type, payloadText: payload, correlationId = null } }) => {
    const [event] = await publishEvents(deps, principal, [{ type, payload, correlationId, idempotencyKey: null }], 1);
    if (!event) throw new Error("no event was accepted");
    return event;
  },
});

async function viewOf(c: Context<AppEnv>): Promise<EventView> {
  const { cursor } = parse(eventQuery, { cursor: c.req.query("cursor") });
  const { data, nextCursor } = await eventDetail(c.get("deps"), c.get("principal"), pathParam(c, "id"), cursor);
  return { event: data, cursor: cursor ?? "", nextCursor };
}

export const eventPages = new Hono<AppEnv>()
  .get("/", requires({ permission: PUBLISH.permission }), (c) =>
    formPage(c, { ...EXAMPLE, type: c.req.query("type") ?? "" }),
  )
  .post(
    "/",
    ...form(publishing, {
      values: (sent) => ({
        type: sent.text("type").trim(),
        payload: sent.text("payload"),
        correlationId: sent.text("correlationId"),
      }),
      input: ({ type, payload, correlationId }) => ({
        type,
        payload: parseJson(payload),
        payloadText: payload,
        ...(correlationId === "" ? {} : { correlationId }),
      }),
      done: (c, { id }) => redirectWithFlash(c, `/events/${id}`, "published"),
      again: (c, refused, values) => formPage(c, values, refused),
    }),
  )
  .get("/:id", requires(READ_DELIVERIES), async (c) => {
    const view = await viewOf(c);
    return page(c, { title: view.event.type, section: SECTION }, <EventPage {...view} />);
  })
  .get("/:id/deliveries", requires(READ_DELIVERIES), async (c) => fragment(c, <Deliveries {...(await viewOf(c))} />));
