/** The event types that a customer can subscribe to, with their schemas and examples, in a portal. */
import { pathParam, perform, requires } from "../../base/http/operation";
import { SEE_TYPES } from "../../webhooks/access";
import { eventTypes } from "../../webhooks/event-types/api";
import { type EventTypeSummary, eventTypeQuery } from "../../webhooks/event-types/schemas";
import { summaryView, typeView } from "../../webhooks/event-types/view";
import { Card, EmptyState } from "../components/display";
import { A, Say } from "../components/mount";
import { TypeDetail } from "../event-types/detail";
import { HERE, pathOf } from "../event-types/paths";
import { receiversOf } from "../event-types/receivers";
import { parse } from "../failure";
import { page } from "../http/page";
import { Pages } from "../http/pages";

const SECTION = "eventTypes";
const MAX_ROWS = 200;

export const portalTypePages = new Pages()
  .get(HERE, requires(SEE_TYPES), async (c) => {
    const asked = { limit: String(MAX_ROWS), cursor: c.req.query("cursor") || undefined };
    const { types, nextCursor } = await perform(c, eventTypes.list, parse(eventTypeQuery, asked));
    const view = { types: types.map(summaryView), nextCursor };
    return page(c, { title: <Say of="portal.eventTypes" />, section: SECTION }, <TypesByGroup {...view} />);
  })
  .get(`${HERE}/named/:name`, requires(SEE_TYPES), async (c) => {
    const declared = await perform(c, eventTypes.get, undefined);
    const type = typeView(declared, declared.subscribers);
    // Who reads here declares nothing.
    const view = (
      <TypeDetail
        type={type}
        versions={[]}
        permissions={new Set()}
        receivers={await receiversOf(c.get("deps"), c.get("principal"), type)}
      />
    );
    return page(c, { title: pathParam(c, "name"), section: SECTION }, view);
  }).router;

interface ListProps {
  types: readonly EventTypeSummary[];
  nextCursor: string | null;
}

const TypesByGroup = ({ types, nextCursor }: ListProps) => (
  <>
    <h1>
      <Say of="portal.eventTypes" />
    </h1>
    {types.length === 0 && <EmptyState title={<Say of="portal.noTypes" />} />}
    {[...Map.groupBy(types, ({ group }) => group ?? "")].map(([group, listed], place) => (
      <Card id={`group-${place}`} title={group || <Say of="portal.types" />}>
        <ul class="list">
          {listed.map(({ name, description }) => (
            <li>
              <div class="break">
                <A to={pathOf(name)}>{name}</A>
                {description && <div class="small muted">{description}</div>}
              </div>
            </li>
          ))}
        </ul>
      </Card>
    ))}
    {nextCursor !== null && (
      <p>
        <A to={`${HERE}?${new URLSearchParams({ cursor: nextCursor })}`}>
          <Say of="portal.nextPage" />
        </A>
      </p>
    )}
  </>
);
