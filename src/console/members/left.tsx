/** What a member has set up and what stays when they leave: subscriptions, with ways to end what they know of them. */
import { ActionButton, LinkButton } from "../components/buttons";
import { Badge, EmptyState } from "../components/display";

export interface LeftSubscription {
  id: string;
  name: string;
  url: string;
  receivesAudit: boolean;
}

const LeftRow = ({ subscription, children }: { subscription: LeftSubscription; children?: unknown }) => (
  <li>
    <div>
      <a href={`/console/webhooks/${subscription.id}`}>{subscription.name}</a>{" "}
      {subscription.receivesAudit && <Badge tone="bad">audit log</Badge>}
      <div class="small muted break">{subscription.url}</div>
    </div>
    {children}
  </li>
);

/** Nothing without subscriptions. */
export const StayingSubscriptions = ({ subscriptions }: { subscriptions: readonly LeftSubscription[] }) =>
  subscriptions.length > 0 && (
    <>
      <p>
        They have set up {subscriptions.length === 1 ? "this subscription" : "these subscriptions"}, which still{" "}
        {subscriptions.length === 1 ? "receives" : "receive"} events afterwards. The next page offers to pause{" "}
        {subscriptions.length === 1 ? "it" : "them"}.
      </p>
      <ul class="list">
        {subscriptions.map((subscription) => (
          <LeftRow subscription={subscription} />
        ))}
      </ul>
    </>
  );

interface LeftProps {
  /** Undefined for somebody who is no member any more. */
  person: string | undefined;
  subscriptions: readonly LeftSubscription[];
}

export const LeftSubscriptions = ({ person, subscriptions }: LeftProps) => (
  <div class="narrow">
    <p class="trail">
      <a href="/console/people">People</a>
    </p>
    <h1>Subscriptions set up by {person ?? "a former member"}</h1>
    <section class="card">
      {subscriptions.length === 0 ? (
        <EmptyState title="None that still receives events" />
      ) : (
        <>
          <p>
            They still receive events. Pause those that only this person needed. Rotate the secrets of the others: this
            person knows them, and could sign deliveries.
          </p>
          <ul class="list">
            {subscriptions.map((subscription) => (
              <LeftRow subscription={subscription}>
                <div class="row">
                  <ActionButton
                    action={`/console/webhooks/${subscription.id}/pause`}
                    kind="danger"
                    label={`Pause ${subscription.name}`}
                  >
                    Pause
                  </ActionButton>
                  <LinkButton
                    href={`/console/webhooks/${subscription.id}/secret/rotate`}
                    label={`Rotate the secret of ${subscription.name}`}
                  >
                    Rotate
                  </LinkButton>
                </div>
              </LeftRow>
            ))}
          </ul>
        </>
      )}
    </section>
  </div>
);
