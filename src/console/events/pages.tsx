/** The form that publishes an event, and an event with what became of it. */

import type { EventDetail as Event } from "../../webhooks/events/schemas";
import { LinkButton, PostForm, SubmitButton } from "../components/buttons";
import { Badge, Copyable, EmptyState, FailureBanner, LiveIndicator, Time } from "../components/display";
import { TextArea, TextField } from "../components/fields";
import type { Failure } from "../failure";
import { outcomeOf } from "../subscriptions/log";

type Outcome = Event["subscriptions"][number];

export interface EventValues {
  type: string;
  /** JSON. */
  payload: string;
  correlationId: string;
}

export const PublishEvent = ({ values, failure }: { values: EventValues; failure?: Failure | undefined }) => (
  <div class="narrow">
    <h1>Publish an event</h1>
    <p class="muted">
      It is sent to every active subscription for its type, as if one of your services had published it.
    </p>
    <FailureBanner failure={failure} />
    <PostForm action="/console/events" class="card">
      <TextField name="type" label="Type" value={values.type} required placeholder="OrderPaid" failure={failure} />
      <TextArea
        name="payload"
        label="Payload"
        value={values.payload}
        rows={8}
        class="mono"
        hint="Any JSON value. It becomes the body of each delivery."
        failure={failure}
      />
      <TextField
        name="correlationId"
        label="Correlation ID (optional)"
        value={values.correlationId}
        hint="Sent in the X-Correlation-Id header."
        failure={failure}
      />
      <SubmitButton>Publish</SubmitButton>
    </PostForm>
  </div>
);

export interface EventView {
  event: Event;
  /** The cursor of this page of subscriptions; empty for the first. */
  cursor: string;
  nextCursor: string | null;
}

export const EventPage = (view: EventView) => (
  <>
    <p class="trail">
      <a href="/console/events">Events</a>
    </p>
    <div class="head">
      <h1>{view.event.type}</h1>
      <LinkButton href="/console/events" kind="main">
        Publish another
      </LinkButton>
    </div>
    <dl class="facts">
      <dt>Published</dt>
      <dd>
        <Time at={view.event.createdAt} />
      </dd>
      <dt>ID</dt>
      <dd>
        <Copyable text={view.event.id} label="the ID" />
      </dd>
      {view.event.correlationId !== undefined && (
        <>
          <dt>Correlation ID</dt>
          <dd>{view.event.correlationId}</dd>
        </>
      )}
      <dt>Delivered to</dt>
      <dd>
        {view.event.deliveries} {view.event.deliveries === 1 ? "subscription" : "subscriptions"} when it was published
      </dd>
    </dl>
    <section class="card" aria-labelledby="deliveries">
      <div class="head">
        <h2 id="deliveries">{hasArrived(view) ? "Deliveries" : "Why did this event not arrive?"}</h2>
        <LiveIndicator />
      </div>
      <div data-live={`/console/events/${view.event.id}/deliveries${pageQuery(view.cursor)}`}>
        <Deliveries {...view} />
      </div>
    </section>
  </>
);

const hasArrived = ({ event, nextCursor }: EventView) =>
  nextCursor === null && event.subscriptions.every(({ state }) => state === "delivered");

const pageQuery = (cursor: string) => (cursor === "" ? "" : `?cursor=${cursor}`);

/** The part of the page that the script refreshes: every subscription that wanted the event. */
export const Deliveries = ({ event, cursor, nextCursor }: EventView) => (
  <>
    {event.subscriptions.length === 0 && cursor === "" && nextCursor === null ? (
      <EmptyState title="No subscription wanted it">
        <p class="muted">No active subscription is for {event.type}.</p>
        <LinkButton href="/console/webhooks">View subscriptions</LinkButton>
      </EmptyState>
    ) : (
      <ul class="list">
        {event.subscriptions.map((outcome) => (
          <li>
            <div>
              {outcome.reason === "deleted" ? (
                outcome.name
              ) : (
                <a href={`/console/webhooks/${outcome.webhookId}`}>{outcome.name}</a>
              )}
              <div class="small">
                <Explanation outcome={outcome} />
              </div>
            </div>
            <Badge tone={TONES[outcome.state]}>{outcome.state}</Badge>
          </li>
        ))}
      </ul>
    )}
    {nextCursor !== null && (
      <p>
        <a href={`/console/events/${event.id}${pageQuery(nextCursor)}`}>More subscriptions</a>
      </p>
    )}
    {cursor !== "" && (
      <p>
        <a href={`/console/events/${event.id}`}>First page</a>
      </p>
    )}
  </>
);

const TONES = { delivered: "ok", failed: "bad", waiting: "wait", skipped: "calm" } as const;

const REASONS: Record<NonNullable<Outcome["reason"]>, string> = {
  sending: "An attempt is in progress.",
  retry: "It waits for its next attempt.",
  queue: "It waits to be sent.",
  limit: "It waits because of the subscription's limit.",
  backlog: "Other deliveries to this subscription come first.",
  "held-by-operator": "An operator of this service holds all sends of the tenant for now. Nothing is lost.",
  held: "The subscription is paused or disabled and holds it, or has not released it yet.",
  "retry-after": "The subscriber asked for a pause.",
  "fan-out": "The deliveries of this event are still being created.",
  paused: "The subscription was paused when the event was published.",
  "created-later": "The subscription was created after the event.",
  deleted: "The subscription has been deleted.",
};

const Explanation = ({ outcome: { webhookId, attempt, reason, until } }: { outcome: Outcome }) => (
  <>
    {attempt && reason !== "deleted" && (
      <a href={`/console/webhooks/${webhookId}/attempts/${attempt._id}`}>Attempt {attempt.attemptCount}</a>
    )}{" "}
    {attempt && <span class="muted">{outcomeOf(attempt)}</span>} {reason && <span>{REASONS[reason]}</span>}{" "}
    {until && (
      <span>
        Due <Time at={until} />
      </span>
    )}
  </>
);
