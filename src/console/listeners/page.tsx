/** The page of listeners: what receives deliveries over a connection, whose it is, and since when. */
import type { ListenerRow } from "../../webhooks/listen/store";
import { ActionButton } from "../components/buttons";
import { Card, Time } from "../components/display";
import { List } from "../components/list";
import { A } from "../components/mount";
import { ConnectionBadge } from "../subscriptions/listener-detail";

interface ListenersProps {
  listeners: readonly ListenerRow[];
  /** The names of their owners by id; null for a viewer who sees only their own. */
  owners: ReadonlyMap<string, string> | null;
}

export const Listeners = ({ listeners, owners }: ListenersProps) => (
  <>
    <h1>Listeners</h1>
    <p class="muted">
      A listener passes deliveries on to a program without a public URL. They wait while it is not connected.{" "}
      <code>postern listen</code> opens one. <a href="/docs/listen">How it works</a>
    </p>
    <Card id="listeners" title={owners ? "Listeners of this tenant" : "Your listeners"}>
      <List
        of={listeners}
        row={(listener) => <Row listener={listener} owner={owners && (owners.get(listener.ownerId) ?? NOT_A_MEMBER)} />}
        empty="No listeners"
      >
        Receive deliveries on your machine: <code>postern listen --forward http://localhost:3000/hooks</code>
      </List>
    </Card>
  </>
);

const NOT_A_MEMBER = "a platform key, or somebody who has left";

const Row = ({ listener, owner }: { listener: ListenerRow; owner: string | null }) => {
  const { id, name, events, isConnected, createdAt, changedAt } = listener;
  return (
    <li>
      <div>
        <A to={`/webhooks/${id}`}>{name}</A> <ConnectionBadge isConnected={isConnected} />
        {owner !== null && <div class="small break">Of {owner}</div>}
        <div class="small break">{events.join(", ")}</div>
        <div class="small muted">
          {isConnected ? "Connected" : "Not connected"} since <Time at={changedAt} show="moment" />, opened{" "}
          <Time at={createdAt} show="moment" />
        </div>
      </div>
      <ActionButton action={`/listeners/${id}/close`} kind="danger" label={`Close ${name}`}>
        Close
      </ActionButton>
    </li>
  );
};
