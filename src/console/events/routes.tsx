/** `/console/events`: publishing an event by hand, with the rules of `POST /events`. */
import { type Context, Hono } from "hono";
import { AppError } from "../../platform/errors";
import type { AppEnv } from "../../platform/http/env";
import { can } from "../../platform/http/permissions";
import { limit } from "../../platform/http/rate-limit";
import { eventDetail } from "../../webhooks/events/outcomes";
import { publication } from "../../webhooks/events/publication";
import { publishEvents } from "../../webhooks/events/publish";
import { eventQuery } from "../../webhooks/events/schemas";
import { type Failure, parse } from "../failure";
import { readForm } from "../http/form";
import { fragment, page, redirectWithFlash, rerenderOnError } from "../http/page";
import { Deliveries, EventPage, type EventValues, type EventView, PublishEvent } from "./pages";

const readLimit = limit("readDeliveries", "tenant");
const SECTION = "events";
const EXAMPLE = { type: "", payload: '{\n  "order": 42\n}', correlationId: "" };

const formPage = (c: Context<AppEnv>, values: EventValues, failure?: Failure, status = 200) =>
  page(c, { title: "Publish an event", section: SECTION, status }, <PublishEvent values={values} failure={failure} />);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? `Is not valid JSON: ${error.message}` : "Is not valid JSON";
    throw new AppError("VALIDATION_FAILED", { details: [{ path: "payload", message }] });
  }
}

async function viewOf(c: Context<AppEnv>, id: string): Promise<EventView> {
  const { cursor } = parse(eventQuery, { cursor: c.req.query("cursor") });
  const { data, nextCursor } = await eventDetail(c.get("deps"), c.get("principal"), id, cursor);
  return { event: data, cursor: cursor ?? "", nextCursor };
}

export const eventPages = new Hono<AppEnv>()
  .get("/", can("event.publish"), (c) => formPage(c, { ...EXAMPLE, type: c.req.query("type") ?? "" }))
  .post("/", can("event.publish"), limit("publish", "tenant"), async (c) => {
    const form = await readForm(c);
    const { type, payload, correlationId } = {
      type: form.text("type").trim(),
      payload: form.text("payload"),
      correlationId: form.text("correlationId"),
    };
    return rerenderOnError(
      c,
      async () => {
        const given = { type, payload: parseJson(payload), ...(correlationId === "" ? {} : { correlationId }) };
        const checked = parse(publication, given);
        const input = {
          type: checked.type,
          payload,
          correlationId: checked.correlationId ?? null,
          idempotencyKey: null,
        };
        const [event] = await publishEvents(c.get("deps"), c.get("principal"), [input], 1);
        if (!event) throw new Error("no event was accepted");
        return redirectWithFlash(c, `/events/${event.id}`, "published");
      },
      (failure, status) => formPage(c, { type, payload, correlationId }, failure, status),
    );
  })
  .get("/:id", can("webhook.read"), readLimit, async (c) => {
    const view = await viewOf(c, c.req.param("id"));
    return page(c, { title: view.event.type, section: SECTION }, <EventPage {...view} />);
  })
  .get("/:id/deliveries", can("webhook.read"), readLimit, async (c) =>
    fragment(c, <Deliveries {...(await viewOf(c, c.req.param("id")))} />),
  );
