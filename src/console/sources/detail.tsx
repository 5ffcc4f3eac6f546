/** One source: its URL and what to do at the provider, its settings, its secrets and its refused calls. */
import type { Permission } from "../../base/schemas/roles";
import { MAX_SECRETS, type Source, type SourceError } from "../../webhooks/sources/schemas";
import { ActionButton, LinkButton, PostForm, SubmitButton } from "../components/buttons";
import { Card, Copyable, Time } from "../components/display";
import { FactList } from "../components/facts";
import { FailureBanner } from "../components/failure";
import { TextField } from "../components/fields";
import { Trail } from "../components/trail";
import { RefusedCalls } from "./errors";
import { HERE, SourceState } from "./list";
import { RECIPES } from "./recipes";
import { type SampleView, TrySample } from "./sample";
import { dedupeText, typeRuleText } from "./values";

interface DetailProps {
  source: Source;
  errors: readonly SourceError[];
  sample: SampleView;
  permissions: ReadonlySet<Permission>;
}

export function SourceDetail({ source, errors, sample, permissions }: DetailProps) {
  const mayManage = permissions.has("source.manage");
  return (
    <>
      <Trail to={{ [HERE]: "Sources" }} />
      <div class="head">
        <div class="row">
          <h1>{source.name}</h1>
          <SourceState enabled={source.enabled} />
        </div>
        {mayManage && <Actions source={source} />}
      </div>
      <FailureBanner />
      <div class="columns">
        <div>
          <Address source={source} />
          <Secrets source={source} mayManage={mayManage} />
        </div>
        <Facts source={source} />
      </div>
      <RefusedCalls errors={errors} />
      {mayManage && <TrySample id={source.id} {...sample} />}
    </>
  );
}

const Actions = ({ source: { id, enabled } }: { source: Source }) => (
  <div class="row">
    {enabled ? (
      <ActionButton action={`${HERE}/${id}/off`}>Turn off</ActionButton>
    ) : (
      <ActionButton action={`${HERE}/${id}/on`} kind="main">
        Turn on
      </ActionButton>
    )}
    <LinkButton to={`${HERE}/${id}/edit`}>Edit</LinkButton>
    <LinkButton to={`${HERE}/${id}/delete`} kind="danger">
      Delete
    </LinkButton>
  </div>
);

const Address = ({ source: { url, provider } }: { source: Source }) => (
  <Card id="address" title="URL">
    <p>
      <Copyable text={url} label="the URL" />
    </p>
    <ol class="steps">
      {RECIPES[provider].steps.map((step) => (
        <li>{step}</li>
      ))}
    </ol>
    <p class="small">
      <a href="/docs/inbound#recipes">More about {RECIPES[provider].title}</a>
    </p>
  </Card>
);

const Secrets = ({ source: { id, secrets }, mayManage }: { source: Source; mayManage: boolean }) => (
  <section class="card" id="secrets-of-source" aria-labelledby="secrets">
    <h2 id="secrets">Secrets</h2>
    <ul class="list">
      {secrets.map((secret) => (
        <li>
          <div>
            {secret.last4 === undefined ? "A short secret" : <code>…{secret.last4}</code>}
            <div class="small muted">
              added <Time at={secret.createdAt} />
            </div>
          </div>
          {mayManage && secrets.length > 1 && (
            <ActionButton
              action={`${HERE}/${id}/secrets/${secret.id}/remove`}
              kind="danger"
              label={`Remove the secret ${secret.last4 === undefined ? "" : `that ends in ${secret.last4}`}`}
            >
              Remove
            </ActionButton>
          )}
        </li>
      ))}
    </ul>
    {mayManage && secrets.length < MAX_SECRETS && (
      <PostForm action={`${HERE}/${id}/secrets`} class="after-list">
        <TextField
          name="secret"
          label="Another secret"
          value=""
          required
          maxlength={1024}
          autocomplete="off"
          hint="To rotate: add the new one here, change it at the provider, then remove the old one. Any may sign."
        />
        <SubmitButton kind="plain">Add secret</SubmitButton>
      </PostForm>
    )}
  </section>
);

/** The settings in words. */
function settingsOf(source: Source): readonly (readonly [label: string, text: string])[] {
  const { provider, typePrefix, allow, requestsPerMinute = 30, maxBytes, type, dedupe, verification } = source;
  return [
    ["Provider", RECIPES[provider].title],
    ["Types begin with", typePrefix || "anything"],
    ["Relayed", allow ? allow.join(", ") : "all types"],
    ["Calls in 60 seconds", requestsPerMinute.toLocaleString("en")],
    ...(maxBytes ? [["Largest body", `${maxBytes.toLocaleString("en")} bytes`] as const] : []),
    ...(verification ? [["Signature", signatureText(verification)] as const] : []),
    ...(type ? [["Type", typeRuleText(type)] as const] : []),
    ...(dedupe === undefined ? [] : [["Repeats known by", dedupeText(dedupe)] as const]),
  ];
}

const signatureText = ({ header, algorithm, encoding, prefix, content }: NonNullable<Source["verification"]>) =>
  `${header}: ${prefix}${algorithm.toUpperCase()} of ${content}, in ${encoding}`;

const Facts = ({ source }: { source: Source }) => (
  <section class="card" aria-label="Settings">
    <FactList
      facts={[
        ...settingsOf(source),
        ["Last event", source.lastEventAt === undefined ? "none yet" : <Time at={source.lastEventAt} />],
        ["Created", <Time at={source.createdAt} />],
        ["ID", <Copyable text={source.id} label="the ID" />],
      ]}
    />
  </section>
);
