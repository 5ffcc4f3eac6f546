/** The newest refused calls of a source, by reason. */
import type { SourceError } from "../../webhooks/sources/schemas";
import { Badge, Card, EmptyState, Time } from "../components/display";
import { Table } from "../components/table";

/** What a reason means, and what helps. */
export const REASONS: Readonly<Record<SourceError["reason"], readonly [title: string, advice: string]>> = {
  signature: ["Wrong signature", "Is the secret here the one at the provider? Strangers can cause it too."],
  timestamp: ["Too old", "The signed time is too far from ours: a call that was repeated, or a clock that is wrong."],
  disabled: ["Source is off", "The source, or its tenant, is turned off, so every call is refused."],
  media_type: ["Not sent as JSON", "Choose the content type application/json at the provider."],
  body: ["Not JSON", "The body must be JSON in UTF-8."],
  type: ["No valid type", "The call names no type, or one that no event can have."],
  schema: ["Refused by your event types", "The type is unknown, or the body does not fit the schema of its type."],
  too_large: ["Too large", "The body is larger than this source takes."],
  rate_limited: [
    "Too many calls",
    "Raise the calls in 60 seconds to what your busiest minute needs. The limits of publishing hold too.",
  ],
  not_published: ["Not published", "Your tenant may not publish now: is the address of an owner verified?"],
  loop: [
    "Came back to us",
    "A subscription's URL is a source: events that have come through three are not taken again.",
  ],
  unavailable: ["Not available", "The database was down or full. The provider can send the call again."],
};

export const RefusedCalls = ({ errors }: { errors: readonly SourceError[] }) => (
  <Card id="refused" title="Refused calls">
    {errors.length === 0 ? (
      <EmptyState title="No call was refused">
        <p class="muted">The newest ones appear here, with the reason. Bodies and addresses are not kept.</p>
      </EmptyState>
    ) : (
      <Table
        label="The newest refused calls"
        columns={["When", "Reason", ["Calls", "num"], ["Size of the last", "wide num"]]}
      >
        {errors.map(({ at, reason, count, bytes }) => (
          <tr>
            <td class="small">
              <Time at={at} />
            </td>
            <td class="break">
              <Badge tone="bad">{REASONS[reason][0]}</Badge>
              <div class="small muted">{REASONS[reason][1]}</div>
            </td>
            <td class="num">{count.toLocaleString("en")}</td>
            <td class="wide num">{bytes.toLocaleString("en")} bytes</td>
          </tr>
        ))}
      </Table>
    )}
  </Card>
);
