/** A user's own passkeys, and the page that confirms the session. */
import type { CreationOptions, Passkey, RequestOptions } from "../../identity/passkeys/webauthn/schemas";
import { ActionButton, LinkButton, PostForm, SubmitButton } from "../components/buttons";
import { CodeField, PasswordField } from "../components/credential-fields";
import { Badge, Time } from "../components/display";
import { A } from "../components/mount";
import { NarrowPage } from "../components/narrow-page";
import { PasskeyForm, PasskeyName } from "../components/passkey-form";

interface PasskeysProps {
  passkeys: readonly Passkey[];
  /** Whether the browser can create one at this address. */
  canAdd: boolean;
}

export const Passkeys = ({ passkeys, canAdd }: PasskeysProps) => (
  <section class="card" aria-labelledby="passkeys">
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
  <NarrowPage title="Add a passkey">
    <div class="card">
      <p>Your browser will ask you to unlock your device, or to choose where the passkey is kept.</p>
      <PasskeyForm action="/security/passkeys" kind="create" start={start}>
        <PasskeyName value={name} />
        <SubmitButton>Add the passkey</SubmitButton>
      </PasskeyForm>
      <p>
        <A to="/security">Back to my security</A>
      </p>
    </div>
  </NarrowPage>
);

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
}

export const ConfirmSession = (props: ConfirmProps) => (
  <NarrowPage title="Confirm that it is you">
    <div class="card">
      <p>This needs a confirmation from the last ten minutes.</p>
      {props.start && (
        <PasskeyForm action="/security/confirm" kind="get" start={props.start}>
          <input type="hidden" name="to" value={props.to} />
          <SubmitButton>Confirm with a passkey</SubmitButton>
        </PasskeyForm>
      )}
      <WithoutPasskey {...props} />
    </div>
  </NarrowPage>
);

const WithoutPasskey = ({ to, email, twoFactorEnabled, hasPasskeys, takesPasswords, start }: ConfirmProps) => {
  if (twoFactorEnabled || (takesPasswords && !hasPasskeys)) {
    return (
      <PostForm action="/security/confirm">
        <input type="hidden" name="to" value={to} />
        <input type="text" hidden autocomplete="username" value={email} readonly />
        <CredentialField twoFactorEnabled={twoFactorEnabled} />
        <SubmitButton kind={start ? "plain" : "main"}>Confirm</SubmitButton>
      </PostForm>
    );
  }
  if (start) return null;
  if (!hasPasskeys) return <p>Sign out, sign in again, and repeat what you were doing.</p>;
  return <p>Your passkeys do not work at this address. Open the console at the address where you added one.</p>;
};

const CredentialField = ({ twoFactorEnabled }: Pick<ConfirmProps, "twoFactorEnabled">) =>
  twoFactorEnabled ? (
    <CodeField name="totp" label="Two-factor code" hint="From your app, or one of your recovery codes." />
  ) : (
    <PasswordField />
  );
