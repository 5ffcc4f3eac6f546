/** The security of a subscription: what signs its deliveries, and replacing it in two steps. */
import { publicKeyText } from "../../base/crypto/ed25519";
import type { ValidKeyRow } from "../../webhooks/signing/store";
import { ActionButton, LinkButton, PostForm, SubmitButton } from "../components/buttons";
import { Banner, Copyable, Moment } from "../components/display";
import { Select } from "../components/fields";
import { A } from "../components/mount";
import { NarrowPage } from "../components/narrow-page";
import { subscriptionTrail, Trail } from "../components/trail";
import type { Snippet } from "./snippets";
import { Verifying, type VerifyingProps } from "./verifying";

interface Named {
  id: string;
  name: string;
}

interface SigningProps extends Named {
  keys: readonly ValidKeyRow[];
  /** Where the public keys are. */
  keysUrl: string;
  mayUpdate: boolean;
  nowMs: number;
  snippets: readonly Snippet[];
  /** Null: not for the one who looks. */
  secret: VerifyingProps["secret"];
}

export function Signing({ id, name, keys, keysUrl, mayUpdate, nowMs, snippets, secret }: SigningProps) {
  const secrets = keys.filter(({ kind }) => kind === "v1");
  const publicKeys = keys.filter(({ kind }) => kind === "v1a");
  const hasFormer = keys.some(({ expiresAt }) => expiresAt !== null);
  const here = `/webhooks/${id}`;
  return (
    <>
      <Trail to={subscriptionTrail({ id, name })} />
      <div class="head">
        <h1>Security</h1>
        {mayUpdate && <LinkButton to={`${here}/secret/rotate`}>Rotate</LinkButton>}
      </div>
      <section class="card">
        <h2>Secret</h2>
        {secrets.length === 0 && <p>One secret signs the deliveries.</p>}
        {secrets.map(({ expiresAt }) => (
          <p>Old secret: valid until {expiresAt !== null && <Moment at={expiresAt} />}.</p>
        ))}
        {mayUpdate && hasFormer && (
          <>
            <ActionButton action={`${here}/secret/previous/delete`} kind="danger">
              {publicKeys.length > 1 ? "End old secrets and keys now" : "End old secret now"}
            </ActionButton>
            <p class="hint">Receivers that still use an old one refuse deliveries from then on.</p>
          </>
        )}
      </section>
      <Verifying id={id} snippets={snippets} secret={secret} />
      <section class="card">
        <h2>Public keys</h2>
        {publicKeys.length === 0 ? (
          <p class="muted">Deliveries are signed with the secret only.</p>
        ) : (
          <p>
            Receivers can fetch them from <Copyable text={keysUrl} label="the URL of the public keys" />
          </p>
        )}
        {publicKeys.map(({ publicKey, startsAt, expiresAt }) => (
          <div>
            {publicKey !== null && <Copyable text={publicKeyText(publicKey)} label="the public key" />}
            <p class="hint">
              {startsAt > nowMs ? "Signs from " : "Signs since "}
              <Moment at={startsAt} />
              {expiresAt !== null && (
                <>
                  {" "}
                  until <Moment at={expiresAt} />
                </>
              )}
            </p>
          </div>
        ))}
      </section>
    </>
  );
}

const OVERLAPS = [
  ["3600", "1 hour"],
  ["86400", "1 day"],
  ["259200", "3 days"],
  ["604800", "7 days"],
  ["0", "no time: it has leaked"],
] as const;

const KINDS = [
  ["v1", "The secret"],
  ["v1a", "The Ed25519 key"],
] as const;

interface RotateProps extends Named {
  hasPublicKeys: boolean;
  kind: string;
  overlapSeconds: string;
}

/** Step 1. */
export const Rotate = ({ id, name, hasPublicKeys, kind, overlapSeconds }: RotateProps) => (
  <NarrowPage title="Rotate the secret" trail={subscriptionTrail({ id, name })}>
    <PostForm action={`/webhooks/${id}/secret/rotate`} class="card">
      <p>
        You get a new secret. Until the old one ends, deliveries are signed with both, so you can change your receiver.
      </p>
      {hasPublicKeys && <Select name="kind" label="Replace" value={kind} options={KINDS} />}
      <Select name="overlapSeconds" label="The old one stays valid for" value={overlapSeconds} options={OVERLAPS} />
      <div class="row">
        <SubmitButton>Rotate</SubmitButton>
        <A to={`/webhooks/${id}/security`}>Cancel</A>
      </div>
    </PostForm>
  </NarrowPage>
);

interface RotatedProps extends Named {
  /** Null when the Ed25519 key was replaced. */
  secret: string | null;
  formerExpireAt: readonly number[];
}

/** Step 2. */
export const RotatedPage = ({ id, name, secret, formerExpireAt: [newest] }: RotatedProps) => (
  <div class="narrow">
    <Trail to={subscriptionTrail({ id, name })} />
    <Banner kind="ok">
      {secret === null ? "The next public key is published." : "The new secret signs from now on."}
    </Banner>
    <section class="card">
      {secret === null ? (
        <>
          <h1>New public key</h1>
          <p>It begins to sign in 20 minutes. A receiver that fetches the keys from their URL needs no change.</p>
        </>
      ) : (
        <>
          <h1>New secret</h1>
          <Copyable text={secret} label="the new secret" />
          <p>Give it to your receiver now.</p>
        </>
      )}
      {newest !== undefined && (
        <p>
          The old one is valid until <Moment at={newest} />.
        </p>
      )}
      <LinkButton to={`/webhooks/${id}/security`}>Done</LinkButton>
    </section>
  </div>
);
