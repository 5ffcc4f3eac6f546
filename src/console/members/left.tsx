/**
 * What a member has set up and what stays when they leave: subscriptions and keys of the tenant, with ways to end it.
 */
import type { Child } from "hono/jsx";
import type { LeftConnection } from "../../identity/members/left-connections";
import { ActionButton, LinkButton } from "../components/buttons";
import { Badge, Card, EmptyState } from "../components/display";
import { A } from "../components/mount";
import { NarrowPage } from "../components/narrow-page";

interface LeftSubscription {
  id: string;
  name: string;
  url: string;
  receivesAudit: boolean;
}

/** What somebody leaves behind in a tenant. */
export interface Left {
  subscriptions: readonly LeftSubscription[];
  /** API keys that belong to the tenant. */
  keys: readonly { id: string; name: string; prefix: string }[];
  /** Feeds that they can still read, and sources whose secrets they know. */
  connections: readonly LeftConnection[];
}

export const isNothing = ({ subscriptions, keys, connections }: Left): boolean =>
  subscriptions.length + keys.length + connections.length === 0;

const Subscription = ({ name, id, url, receivesAudit, children }: LeftSubscription & { children?: Child }) => (
  <li>
    <div>
      <A to={`/webhooks/${id}`}>{name}</A> {receivesAudit && <Badge tone="bad">audit log</Badge>}
      <div class="small muted break">{url}</div>
    </div>
    {children}
  </li>
);

/** What stays, before a member is removed. Nothing if nothing does. */
export const Staying = ({ left }: { left: Left }) =>
  !isNothing(left) && (
    <>
      <p>They have set up what stays afterwards. The next page offers to end it.</p>
      <ul class="list">
        {left.subscriptions.map((subscription) => (
          <Subscription {...subscription} />
        ))}
        {left.keys.map(({ name, prefix }) => (
          <li>
            <div>
              API key of the tenant: {name} <code>{prefix}</code>
            </div>
          </li>
        ))}
        {left.connections.map((connection) => (
          <li>
            <Connection {...connection} />
          </li>
        ))}
      </ul>
    </>
  );

interface LeftProps {
  /** Undefined for somebody who is no member any more. */
  person: string | undefined;
  left: Left;
}

export const LeftBehind = ({ person, left }: LeftProps) => (
  <NarrowPage title={`Set up by ${person ?? "a former member"}`} trail={{ "/people": "People" }}>
    {isNothing(left) && <EmptyState title="Nothing that still works" />}
    {left.subscriptions.length > 0 && <Subscriptions subscriptions={left.subscriptions} />}
    {left.keys.length > 0 && <Keys keys={left.keys} />}
    {left.connections.length > 0 && <Connections connections={left.connections} />}
  </NarrowPage>
);

const Subscriptions = ({ subscriptions }: Pick<Left, "subscriptions">) => (
  <Card id="subscriptions" title="Subscriptions">
    <p>
      They still receive events. Pause those that only this person needed. Rotate the secrets of the others: this person
      knows them, and could sign deliveries.
    </p>
    <ul class="list">
      {subscriptions.map((subscription) => (
        <Subscription {...subscription}>
          <div class="row">
            <ActionButton
              action={`/webhooks/${subscription.id}/pause`}
              kind="danger"
              label={`Pause ${subscription.name}`}
            >
              Pause
            </ActionButton>
            <LinkButton
              to={`/webhooks/${subscription.id}/secret/rotate`}
              label={`Rotate the secret of ${subscription.name}`}
            >
              Rotate
            </LinkButton>
          </div>
        </Subscription>
      ))}
    </ul>
  </Card>
);

const Connection = ({ kind, id, name }: LeftConnection) => (
  <div>
    {kind === "feed" ? "Feed" : "Source"}: <A to={`/${kind}s/${id}`}>{name}</A>
  </div>
);

const Connections = ({ connections }: Pick<Left, "connections">) => (
  <Card id="connections" title="Feeds and sources">
    <p>
      This person was shown the tokens of these feeds and knows the secrets of these sources. Replace them there, or
      turn off what nobody else needs.
    </p>
    <ul class="list">
      {connections.map((connection) => (
        <li>
          <Connection {...connection} />
          {connection.kind === "source" && (
            <ActionButton action={`/sources/${connection.id}/off`} kind="danger" label={`Turn off ${connection.name}`}>
              Turn off
            </ActionButton>
          )}
        </li>
      ))}
    </ul>
  </Card>
);

const Keys = ({ keys }: Pick<Left, "keys">) => (
  <Card id="keys" title="API keys of the tenant">
    <p>They still work, and this person may have kept them. Replace those that a system of yours uses.</p>
    <ul class="list">
      {keys.map(({ id, name, prefix }) => (
        <li>
          <div>
            {name} <code>{prefix}</code>
          </div>
          <ActionButton action={`/api-keys/${id}/revoke`} kind="danger" label={`Revoke ${name}`}>
            Revoke
          </ActionButton>
        </li>
      ))}
    </ul>
  </Card>
);
