/** Events of the audit log in sentences: "ada@example.com invited bob@example.com as admin". */
import { sentenceOf, toldBy } from "../../base/schemas/audit-sentences";
import type { AuditEvent } from "../../tenancy/audit/schemas";
import { Time } from "../components/display";
import { Table } from "../components/table";

interface EventsProps {
  events: readonly AuditEvent[];
  /** The current names of what the events are about, by id; null where that is not shown. */
  names: ReadonlyMap<string, string> | null;
}

export const Events = ({ events, names }: EventsProps) => (
  <Table label="Events as a table" columns={["When", "What", ["Where from", "wide"]]}>
    {events.map((event) => (
      <tr>
        <td class="small">
          <Time at={event.at} />
        </td>
        <td class="break">
          <Sentence event={event} names={names} />
        </td>
        <td class="wide small break" title={event.userAgent ?? undefined}>
          {event.ip}
        </td>
      </tr>
    ))}
  </Table>
);

const Sentence = ({ event, names }: { event: AuditEvent; names: EventsProps["names"] }) => {
  const target = event.target && (names?.get(event.target.id) ?? null);
  const rest = restOf(event, names);
  return (
    <>
      <span class="name">{whoDid(event)}</span>{" "}
      {sentenceOf(event.action, { ...event.meta, target }).map(({ text, isValue }) =>
        isValue ? <span class="name">{text}</span> : text,
      )}
      {rest !== "" && <div class="small muted">{rest}</div>}
    </>
  );
};

function whoDid({ actor }: AuditEvent): string {
  if (actor.kind === "system") return "This service";
  if (actor.kind === "anonymous") return "Somebody who was not signed in";
  if (actor.kind === "operator") return actor.name === null ? "An operator of this service" : `Operator ${actor.name}`;
  const name = actor.name ?? actor.id ?? "";
  if (actor.kind === "platform-key") return `Platform key ${name}`;
  if (actor.kind === "client") return `App ${name}`;
  if (actor.kind === "portal") return `Portal link ${name}`;
  return actor.kind === "api-key" ? `API key ${name}` : name;
}

/** Ids that tell a person nothing. */
const UNTOLD = ["replayId", "tenantId"];

/** What the sentence does not tell: the id of what has no name any more, and the other members of the meta. */
function restOf({ action, target, meta }: AuditEvent, names: EventsProps["names"]): string {
  const id = target && names && !names.has(target.id) ? [target.id] : [];
  const told = [...toldBy(action), ...UNTOLD];
  const members = Object.entries(meta ?? {}).filter(([name, value]) => value !== null && !told.includes(name));
  return [...id, ...members.map(([name, value]) => `${name}: ${[value].flat().join(", ")}`)].join(" · ");
}
