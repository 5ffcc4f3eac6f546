/** Asks whether to change something for others, and shows how much it affects. */
import { FormButtons, PostForm } from "../components/buttons";
import { FailureBanner } from "../components/failure";
import { Select, TextField } from "../components/fields";
import type { OperatorChange } from "./changes";

export interface ConfirmView {
  change: OperatorChange;
  /** The name of the tenant, the person or the service. */
  name: string;
  /** What it affects: "3 members". */
  counts: readonly string[];
  /** Where the form posts to. */
  action: string;
  /** The page of the tenant, the person or the service. */
  back: string;
  reason: string;
  /** The numbers of the delivery databases. */
  shards: readonly number[];
}

export const ConfirmChange = ({ change, name, counts, action, back, reason, shards }: ConfirmView) => (
  <div class="narrow">
    <h1>
      {change.asks} {name}?
    </h1>
    <FailureBanner />
    <section class="card">
      <ul>
        {change.effects.map((effect) => (
          <li>{effect}</li>
        ))}
      </ul>
      {counts.length > 0 && <p>It concerns {counts.join(", ")}.</p>}
      <p class="muted">It is recorded in the audit log.</p>
    </section>
    <PostForm action={action} class="card">
      {change.asksForReason && (
        <TextField
          name="reason"
          label="Reason"
          value={reason}
          required
          maxlength={200}
          hint="Those concerned can read it in their audit log."
        />
      )}
      {change.asksForShard && (
        <Select
          name="shard"
          label="Database"
          value=""
          options={shards.map((shard) => [String(shard), shard === 0 ? "DB" : `SHARD_${shard}`] as const)}
        />
      )}
      {change.asksWhether && (
        <label class="check">
          <input type="checkbox" name={change.asksWhether[0]} value="true" /> {change.asksWhether[1]}
        </label>
      )}
      <FormButtons kind="danger" cancel={back}>
        {change.button}
      </FormButtons>
    </PostForm>
  </div>
);
