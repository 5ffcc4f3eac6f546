/** An event: its payload, and what became of it for each subscription that wanted it. */

import type { Language } from "../../base/texts/texts";
import type { EventDetail as Event } from "../../webhooks/events/schemas";
import { outcomeOf } from "../../webhooks/log/outcome";
import { LinkButton } from "../components/buttons";
import { CodeBlock } from "../components/code";
import { Badge, Copyable, EmptyState, LiveIndicator, Time } from "../components/display";
import { FactList } from "../components/facts";
import { A, Say, useHref, useTexts } from "../components/mount";
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
    <Trail to={{ "/events": <Say of="portal.events" /> }} />
    <div class="head">
      <div class="row">
        <h1>{view.event.type}</h1>
        {view.event.test && (
          <Badge tone="calm">
            <Say of="portal.kindTest" />
          </Badge>
        )}
      </div>
      {view.mayPublish && (
        <LinkButton to={`/events/new?${new URLSearchParams({ type: view.event.type })}`}>Publish another</LinkButton>
      )}
    </div>
    <div class="columns">
      <section class="card" aria-labelledby="deliveries">
        <div class="head">
          <h2 id="deliveries">
            <Say of="portal.whoWanted" />
          </h2>
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
  <section class="card" aria-label={useTexts().say("portal.event")}>
    <FactList
      facts={[
        [<Say of="portal.published" />, <Time at={event.createdAt} />],
        [<Say of="portal.id" />, <Copyable text={event.id} label={useTexts().say("portal.theId")} />],
        event.correlationId !== undefined && [
          <Say of="portal.correlationId" />,
          <A to={`/events?${new URLSearchParams({ q: event.correlationId })}`}>{event.correlationId}</A>,
        ],
        event.orderKey !== undefined && [
          <Say of="portal.orderKey" />,
          <Say of="portal.orderNumber" values={{ key: event.orderKey, number: event.sequence }} />,
        ],
      ]}
    />
  </section>
);

const Payload = ({ event, payloadText }: EventView) => (
  <section class="card" aria-labelledby="payload">
    {payloadText === null ? (
      <>
        <h2 id="payload">
          <Say of="portal.payload" />
        </h2>
        <p class="muted">
          <Say of="portal.hiddenPayload" />
        </p>
      </>
    ) : (
      <CodeBlock
        title={<Say of="portal.payload" />}
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
      <p class="small muted">{summaryOf(useTexts(), event)}</p>
    )}
    {event.subscriptions.length === 0 && cursor === "" && nextCursor === null ? (
      <EmptyState title={<Say of="portal.nobodyWanted" />}>
        <p class="muted">
          <Say of="portal.noneFor" values={{ type: <code>{event.type}</code> }} />
        </p>
        <LinkButton to="/webhooks">
          <Say of="portal.viewSubscriptions" />
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
            <Badge tone={TONES[outcome.state]}>
              <Say of={`state.${outcome.state}`} />
            </Badge>
          </li>
        ))}
      </ul>
    )}
    {nextCursor !== null && (
      <p>
        <A to={`/events/${event.id}${pageQuery(nextCursor)}`}>
          <Say of="portal.moreSubscriptions" />
        </A>
      </p>
    )}
    {cursor !== "" && (
      <p>
        <A to={`/events/${event.id}`}>
          <Say of="portal.firstPage" />
        </A>
      </p>
    )}
  </>
);

/** "3 delivered, 1 waiting". */
function summaryOf(texts: Language, { subscriptions }: Event): string {
  const counted = STATES.map((state) => [state, subscriptions.filter((one) => one.state === state).length] as const);
  return counted
    .flatMap(([state, count]) => (count > 0 ? [texts.say(`portal.${state}Count`, { count: texts.number(count) })] : []))
    .join(", ");
}

const STATES = ["failed", "waiting", "delivered", "skipped"] as const;

const TONES = { delivered: "ok", failed: "bad", waiting: "wait", skipped: "calm" } as const;

function Explanation({ outcome }: { outcome: Outcome }) {
  const { webhookId, attempt, reason, until } = outcome;
  return (
    <>
      {attempt && reason !== "deleted" && (
        <A to={`/webhooks/${webhookId}/attempts/${attempt._id}`}>
          <Say of="portal.attemptNumber" values={{ number: attempt.attemptCount }} />
        </A>
      )}{" "}
      {attempt && <span class="muted">{outcomeOf(useTexts(), attempt)}</span>}{" "}
      {reason && (
        <span>
          <Say of={`reason.${reason}`} />
        </span>
      )}{" "}
      {outcome.filterChanged && (
        <span>
          <Say of="portal.filterChanged" />
        </span>
      )}
      {outcome.because && <Because reasons={outcome.because} />}
      {until && (
        <span>
          <Say of="portal.due" values={{ time: <Time at={until} /> }} />
        </span>
      )}
    </>
  );
}
