/** An event: its payload, and what became of it for each subscription that wanted it. */

import type { EventDetail as Event } from "../../webhooks/events/schemas";
import { LinkButton } from "../components/buttons";
import { CodeBlock } from "../components/code";
import { Badge, Copyable, EmptyState, LiveIndicator, Time } from "../components/display";
import { FactList } from "../components/facts";
import { A, useHref, Worded } from "../components/mount";
import { outcomeOf } from "../components/outcome";
import { Trail } from "../components/trail";
import { Because } from "../filters/because";

type Outcome = Event["subscriptions"][number];

export interface EventView {
  event: Event;
  /** The payload as it was published; null if it is not shown. */
  payloadText: string | null;
  mayPublish: boolean;
  /** The cursor of this page of subscriptions; empty for the first. */
  cursor: string;
  nextCursor: string | null;
}

export const EventPage = (view: EventView) => (
  <>
    <Trail to={{ "/events": "Events" }} />
    <div class="head">
      <div class="row">
        <h1>{view.event.type}</h1>
        {view.event.test && <Badge tone="calm">test</Badge>}
      </div>
      {view.mayPublish && (
        <LinkButton to={`/events/new?${new URLSearchParams({ type: view.event.type })}`}>Publish another</LinkButton>
      )}
    </div>
    <div class="columns">
      <section class="card" aria-labelledby="deliveries">
        <div class="head">
          <h2 id="deliveries">Who wanted it</h2>
          <LiveIndicator />
        </div>
        <div data-live={useHref()(`/events/${view.event.id}/deliveries${pageQuery(view.cursor)}`)}>
          <Deliveries {...view} />
        </div>
      </section>
      <div>
        <Facts event={view.event} />
        <Payload {...view} />
      </div>
    </div>
  </>
);

const Facts = ({ event }: { event: Event }) => (
  <section class="card" aria-label="Event">
    <FactList
      facts={[
        ["Published", <Time at={event.createdAt} />],
        ["ID", <Copyable text={event.id} label="the ID" />],
        event.correlationId !== undefined && [
          "Correlation ID",
          <A to={`/events?${new URLSearchParams({ q: event.correlationId })}`}>{event.correlationId}</A>,
        ],
        event.orderKey !== undefined && ["Order key", `${event.orderKey}, number ${event.sequence}`],
      ]}
    />
  </section>
);

const Payload = ({ event, payloadText }: EventView) => (
  <section class="card" aria-labelledby="payload">
    {payloadText === null ? (
      <>
        <h2 id="payload">Payload</h2>
        <p class="muted">Only people who may read the audit log see it, on the page Activity.</p>
      </>
    ) : (
      <CodeBlock
        title="Payload"
        id="payload"
        text={payloadText}
        download={{ to: `/events/${event.id}/payload`, file: `${event.id}.json` }}
      />
    )}
  </section>
);

const pageQuery = (cursor: string) => (cursor === "" ? "" : `?cursor=${cursor}`);

type DeliveriesView = Pick<EventView, "event" | "cursor" | "nextCursor">;

/** The part of the page that the script refreshes: every subscription that wanted the event. */
export const Deliveries = ({ event, cursor, nextCursor }: DeliveriesView) => (
  <>
    {event.subscriptions.length > 0 && nextCursor === null && cursor === "" && (
      <p class="small muted">{summaryOf(event)}</p>
    )}
    {event.subscriptions.length === 0 && cursor === "" && nextCursor === null ? (
      <EmptyState title={<Worded>No subscription wanted it</Worded>}>
        <p class="muted">
          <Worded>No active subscription is for</Worded> <code>{event.type}</code>.
        </p>
        <LinkButton to="/webhooks">
          <Worded>View subscriptions</Worded>
        </LinkButton>
      </EmptyState>
    ) : (
      <ul class="list">
        {event.subscriptions.map((outcome) => (
          <li>
            <div>
              {outcome.reason === "deleted" ? (
                outcome.name
              ) : (
                <A to={`/webhooks/${outcome.webhookId}`}>{outcome.name}</A>
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
        <A to={`/events/${event.id}${pageQuery(nextCursor)}`}>
          <Worded>More subscriptions</Worded>
        </A>
      </p>
    )}
    {cursor !== "" && (
      <p>
        <A to={`/events/${event.id}`}>First page</A>
      </p>
    )}
  </>
);

/** "3 delivered, 1 waiting". */
function summaryOf({ subscriptions }: Event): string {
  const counted = STATES.map((state) => [state, subscriptions.filter((one) => one.state === state).length] as const);
  return counted.flatMap(([state, count]) => (count > 0 ? [`${count} ${state}`] : [])).join(", ");
}

const STATES = ["failed", "waiting", "delivered", "skipped"] as const;

const TONES = { delivered: "ok", failed: "bad", waiting: "wait", skipped: "calm" } as const;

const REASONS: Record<NonNullable<Outcome["reason"]>, string> = {
  sending: "An attempt is in progress.",
  retry: "It waits for its next attempt.",
  queue: "It waits to be sent.",
  limit: "It waits because of the subscription's limit.",
  backlog: "Other deliveries to this subscription come first.",
  "held-by-operator": "An operator of this service has frozen all sends of the tenant for now. Nothing is lost.",
  held: "The subscription is paused or disabled and holds it, or has not released it yet.",
  "retry-after": "The subscriber asked for a pause.",
  "fan-out": "The deliveries of this event are still being created.",
  filtered: "Its filter did not let the event through.",
  paused: "The subscription was paused when the event was published.",
  "created-later": "The subscription was created after the event.",
  deleted: "The subscription has been deleted.",
};

function Explanation({ outcome }: { outcome: Outcome }) {
  const { webhookId, attempt, reason, until } = outcome;
  return (
    <>
      {attempt && reason !== "deleted" && (
        <A to={`/webhooks/${webhookId}/attempts/${attempt._id}`}>Attempt {attempt.attemptCount}</A>
      )}{" "}
      {attempt && <span class="muted">{outcomeOf(attempt)}</span>}{" "}
      {reason && (
        <span>
          <Worded>{REASONS[reason]}</Worded>
        </span>
      )}{" "}
      {outcome.filterChanged && <span>The filter has changed since, so it can't tell why.</span>}
      {outcome.because && <Because reasons={outcome.because} />}
      {until && (
        <span>
          Due <Time at={until} />
        </span>
      )}
    </>
  );
}
