/** A user's own passkeys, and the page that confirms the session. */
import type { CreationOptions, Passkey, RequestOptions } from "../../identity/passkeys/webauthn/schemas";
import { ActionButton, LinkButton, PostForm, SubmitButton } from "../components/buttons";
import { CodeField, PasswordField } from "../components/credential-fields";
import { Badge, Time } from "../components/display";
import { A, Say, useTexts } from "../components/mount";
import { NarrowPage } from "../components/narrow-page";
import { PasskeyForm, PasskeyName } from "../components/passkey-form";

interface PasskeysProps {
  passkeys: readonly Passkey[];
  /** Whether the browser can create one at this address. */
  canAdd: boolean;
  /** What the browser is told, so that it no longer offers those that were removed; JSON. */
  accepted: string;
}

export const Passkeys = ({ passkeys, canAdd, accepted }: PasskeysProps) => (
  <section class="card" aria-labelledby="passkeys" data-accepted={accepted}>
    <div class="head">
      <h2 id="passkeys">Passkeys</h2>
      {canAdd && <LinkButton to="/security/passkeys/new">Add a passkey</LinkButton>}
    </div>
    <p class="muted">
      A passkey signs you in with your fingerprint, face or screen lock. It replaces the password and the code.
    </p>
    <ul class="list">
      {passkeys.map((passkey) => (
        <PasskeyRow passkey={passkey} />
      ))}
    </ul>
  </section>
);

const PasskeyRow = ({ passkey: { id, name, backedUp, createdAt, lastUsedAt } }: { passkey: Passkey }) => (
  <li>
    <div>
      <strong>{name}</strong> {backedUp && <Badge tone="ok">Synchronised</Badge>}
      <div class="small muted">
        Added <Time at={createdAt} />, {lastUsedAt ? "last used " : "never used"}
        {lastUsedAt && <Time at={lastUsedAt} />}
      </div>
    </div>
    <div class="row">
      <PostForm action={`/security/passkeys/${id}/rename`} class="inline">
        <input name="name" value={name} aria-label={`New name of ${name}`} required maxlength={64} />
        <SubmitButton kind="plain" label={`Rename ${name}`}>
          Rename
        </SubmitButton>
      </PostForm>
      <ActionButton action={`/security/passkeys/${id}/remove`} kind="danger" label={`Remove ${name}`}>
        Remove
      </ActionButton>
    </div>
  </li>
);

export const NewPasskeyPage = ({ start, name }: { start: CreationOptions; name: string }) => (
  <NarrowPage title={<Say of="passkey.add" />}>
    <div class="card">
      <p>
        <Say of="register.passkeyText" />
      </p>
      <PasskeyForm action="/security/passkeys" kind="create" start={start}>
        <PasskeyName value={name} />
        <SubmitButton>
          <Say of="passkey.submit" />
        </SubmitButton>
      </PasskeyForm>
      <p>
        <A to="/security">
          <Say of="passkey.back" />
        </A>
      </p>
    </div>
  </NarrowPage>
);

/** The app for which somebody confirms the session. */
export interface Confirmed {
  name: string;
  /** Whether only a passkey will do. */
  withPasskey: boolean;
  /** Leads to a sign-in with another account. */
  another: string;
}

interface ConfirmProps {
  /** The path to redirect to afterwards. */
  to: string;
  email: string;
  /** What the account confirms with. A password is not enough for one that has a second factor or a passkey. */
  twoFactorEnabled: boolean;
  hasPasskeys: boolean;
  takesPasswords: boolean;
  /** Null where no passkey can be used. */
  start: RequestOptions | null;
  /** The address at which a sign-on confirms the session; null where none does. */
  signOn: string | null;
  /** Undefined in the console. */
  app: Confirmed | undefined;
}

export const ConfirmSession = (props: ConfirmProps) => (
  <NarrowPage title={<Say of="confirm.title" />}>
    <div class="card">
      <p class={props.app && "break"}>
        {props.app ? (
          <>
            <Say
              of="confirm.forApp"
              values={{ app: <strong>{props.app.name}</strong>, email: <strong>{props.email}</strong> }}
            />{" "}
            <a href={props.app.another}>
              <Say of="choose.another" />
            </a>
          </>
        ) : (
          <Say of="confirm.text" />
        )}
      </p>
      {props.signOn && (
        <p>
          <a class="button main" href={props.signOn}>
            <Say of="page.signOn" />
          </a>
        </p>
      )}
      {props.start && (
        <PasskeyForm action="/security/confirm" kind="get" start={props.start}>
          <input type="hidden" name="to" value={props.to} />
          <SubmitButton kind={props.signOn ? "plain" : "main"}>
            <Say of="confirm.passkey" />
          </SubmitButton>
        </PasskeyForm>
      )}
      {props.app?.withPasskey ? null : <WithoutPasskey {...props} />}
    </div>
  </NarrowPage>
);

const WithoutPasskey = ({ to, email, twoFactorEnabled, hasPasskeys, takesPasswords, start, signOn }: ConfirmProps) => {
  if (twoFactorEnabled || (takesPasswords && !hasPasskeys)) {
    return (
      <PostForm action="/security/confirm">
        <input type="hidden" name="to" value={to} />
        <input type="text" hidden autocomplete="username" value={email} readonly />
        <CredentialField twoFactorEnabled={twoFactorEnabled} />
        <SubmitButton kind={start || signOn ? "plain" : "main"}>
          <Say of="confirm.submit" />
        </SubmitButton>
      </PostForm>
    );
  }
  if (start) {
    return (
      <p class="muted">
        <Say of="confirm.otherDevice" />
      </p>
    );
  }
  if (signOn) return null;
  return (
    <p>
      <Say of={hasPasskeys ? "confirm.elsewhere" : "confirm.signInAgain"} />
    </p>
  );
};

function CredentialField({ twoFactorEnabled }: Pick<ConfirmProps, "twoFactorEnabled">) {
  const texts = useTexts();
  return twoFactorEnabled ? (
    <CodeField name="totp" label={texts.say("signIn.factor")} hint={texts.say("confirm.factorHint")} />
  ) : (
    <PasswordField />
  );
}
