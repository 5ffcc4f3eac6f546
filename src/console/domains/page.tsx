/** The page of domains: each with its state and the record that proves it, and the form for a new one. */
import type { DomainBody } from "../../sign-on/domains/schemas";
import { ActionButton, PostForm, SubmitButton } from "../components/buttons";
import { Badge, Card, Copyable, Moment } from "../components/display";
import { FactList } from "../components/facts";
import { FailureBanner } from "../components/failure";
import { TextField } from "../components/fields";
import { List } from "../components/list";
import { useIsSetup } from "../components/mount";

interface DomainsProps {
  domains: readonly DomainBody[];
  /** Whether the reader may change them. */
  mayChange: boolean;
  values: { domain: string };
}

export const Domains = ({ domains, mayChange, values }: DomainsProps) => (
  <>
    <h1>Domains</h1>
    <p class="muted">
      A domain is yours once its zone has the record that stands beside it here. Your own identity provider can then
      sign in people with addresses of it. A domain says nothing of those below it: add <code>eu.acme.com</code> apart
      from <code>acme.com</code>. <a href="/docs/sign-on">How it works</a>
    </p>
    <FailureBanner />
    <div class="columns">
      <Card id="domains" title="Domains of this tenant">
        <List of={domains} row={(domain) => <DomainRow domain={domain} mayChange={mayChange} />} empty="No domains" />
      </Card>
      {mayChange && (
        <Card id="new-domain" title="Add a domain">
          <PostForm action="/domains">
            <TextField name="domain" label="Domain" value={values.domain} placeholder="acme.com" required />
            <SubmitButton>Add</SubmitButton>
          </PostForm>
        </Card>
      )}
    </div>
  </>
);

const STATES = {
  pending: ["calm", "Not proved yet"],
  proved: ["ok", "Proved"],
  lost: ["bad", "Lost"],
} as const;

function DomainRow({ domain: body, mayChange }: { domain: DomainBody; mayChange: boolean }) {
  const isOthers = useIsSetup() && !body.needsReview;
  const { domain, state, provedBy, needsReview, record, checkedAt, lastError } = body;
  const [tone, text] = STATES[state];
  const action = `/domains/${encodeURIComponent(domain)}`;
  return (
    <li>
      <div>
        <strong class="break">{domain}</strong> <Badge tone={tone}>{text}</Badge>
        {provedBy === "platform" && state === "proved" ? (
          <div class="small muted">The product vouches for it, so it needs no record.</div>
        ) : (
          <FactList
            facts={[
              ["Type", record.type],
              ["Name", <Copyable text={record.name} label={`the name of the record of ${domain}`} />, "break"],
              ["Value", <Copyable text={record.value} label={`the value of the record of ${domain}`} />, "break"],
            ]}
          />
        )}
        {checkedAt !== null && (
          <div class="small muted">
            Checked <Moment at={checkedAt} />
          </div>
        )}
        {needsReview && (
          <p class="small">Added with a setup link: nobody signs in by it before an owner has checked it here.</p>
        )}
        {lastError !== undefined && <p class="small">{lastError} A new record can take an hour to be seen.</p>}
      </div>
      {mayChange && (
        <div class="row">
          {provedBy !== "platform" && (
            <ActionButton action={`${action}/check`} label={`Check ${domain}`}>
              Check
            </ActionButton>
          )}
          {!isOthers && (
            <ActionButton action={`${action}/remove`} kind="danger" label={`Remove ${domain}`}>
              Remove
            </ActionButton>
          )}
        </div>
      )}
    </li>
  );
}
