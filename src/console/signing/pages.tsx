/** The security of a subscription: what signs its deliveries, and replacing it in two steps. */
import { publicKeyText } from "../../base/crypto/ed25519";
import type { Language } from "../../base/texts/texts";
import type { ValidKeyRow } from "../../webhooks/signing/store";
import { ActionButton, LinkButton, PostForm, SubmitButton } from "../components/buttons";
import { Banner, Copyable, Moment } from "../components/display";
import { Select } from "../components/fields";
import { A, type Choices, Say, useChoices, useTexts } from "../components/mount";
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
        <h1>
          <Say of="portal.security" />
        </h1>
        {mayUpdate && (
          <LinkButton to={`${here}/secret/rotate`}>
            <Say of="portal.rotate" />
          </LinkButton>
        )}
      </div>
      <section class="card">
        <h2>
          <Say of="portal.secret" />
        </h2>
        {secrets.length === 0 && (
          <p>
            <Say of="portal.oneSecret" />
          </p>
        )}
        {secrets.map(({ expiresAt }) => (
          <p>
            <Say of="portal.oldSecret" values={{ time: expiresAt !== null && <Moment at={expiresAt} /> }} />
          </p>
        ))}
        {mayUpdate && hasFormer && (
          <>
            <ActionButton action={`${here}/secret/previous/delete`} kind="danger">
              <Say of={publicKeys.length > 1 ? "portal.endOldAll" : "portal.endOld"} />
            </ActionButton>
            <p class="hint">
              <Say of="portal.endOldHint" />
            </p>
          </>
        )}
      </section>
      <Verifying id={id} snippets={snippets} secret={secret} />
      <PublicKeys keys={publicKeys} keysUrl={keysUrl} nowMs={nowMs} />
    </>
  );
}

const PublicKeys = ({ keys, keysUrl, nowMs }: Pick<SigningProps, "keys" | "keysUrl" | "nowMs">) => (
  <section class="card">
    <h2>
      <Say of="portal.publicKeys" />
    </h2>
    {keys.length === 0 ? (
      <p class="muted">
        <Say of="portal.secretOnly" />
      </p>
    ) : (
      <p>
        <Say
          of="portal.keysAt"
          values={{ url: <Copyable text={keysUrl} label={useTexts().say("portal.keysUrl")} /> }}
        />
      </p>
    )}
    {keys.map(({ publicKey, startsAt, expiresAt }) => (
      <div>
        {publicKey !== null && <Copyable text={publicKeyText(publicKey)} label={useTexts().say("portal.theKey")} />}
        <p class="hint">
          <Say
            of={expiresAt === null ? "portal.signsFrom" : "portal.signsFromUntil"}
            values={{ time: <Moment at={startsAt} />, end: expiresAt !== null && <Moment at={expiresAt} /> }}
          />
        </p>
      </div>
    ))}
  </section>
);

const overlapsIn = (texts: Language) =>
  [
    ["3600", texts.count("portal.hours", 1)],
    ...[1, 3, 7].map((days) => [String(days * 86_400), texts.count("portal.days", days)] as const),
    ["0", texts.say("portal.leaked")],
  ] as const;

const KINDS: Choices = [
  ["v1", "portal.kindSecret"],
  ["v1a", "portal.kindKey"],
];

interface RotateProps extends Named {
  hasPublicKeys: boolean;
  kind: string;
  overlapSeconds: string;
}

/** Step 1. */
export const Rotate = ({ id, name, hasPublicKeys, kind, overlapSeconds }: RotateProps) => (
  <NarrowPage title={<Say of="portal.rotateSecret" />} trail={subscriptionTrail({ id, name })}>
    <PostForm action={`/webhooks/${id}/secret/rotate`} class="card">
      <p>
        <Say of="portal.rotateText" />
      </p>
      {hasPublicKeys && (
        <Select name="kind" label={useTexts().say("portal.replace")} value={kind} options={useChoices(KINDS)} />
      )}
      <Select
        name="overlapSeconds"
        label={useTexts().say("portal.oldStays")}
        value={overlapSeconds}
        options={overlapsIn(useTexts())}
      />
      <div class="row">
        <SubmitButton>
          <Say of="portal.rotate" />
        </SubmitButton>
        <A to={`/webhooks/${id}/security`}>
          <Say of="portal.cancel" />
        </A>
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
      <Say of={secret === null ? "portal.keyPublished" : "portal.newSigns"} />
    </Banner>
    <section class="card">
      {secret === null ? (
        <>
          <h1>
            <Say of="portal.newKey" />
          </h1>
          <p>
            <Say of="portal.newKeyText" />
          </p>
        </>
      ) : (
        <>
          <h1>
            <Say of="portal.newSecret" />
          </h1>
          <Copyable text={secret} label={useTexts().say("portal.theNewSecret")} />
          <p>
            <Say of="portal.newSecretText" />
          </p>
        </>
      )}
      {newest !== undefined && (
        <p>
          <Say of="portal.oldUntil" values={{ time: <Moment at={newest} /> }} />
        </p>
      )}
      <LinkButton to={`/webhooks/${id}/security`}>
        <Say of="portal.done" />
      </LinkButton>
    </section>
  </div>
);
