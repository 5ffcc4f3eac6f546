/** What a deletion will end, with the export offered first, and the form that does it. */
import type { AccountPreview, AffectedTenant, TenantPreview } from "../../lifecycle/deletion/preview-store";
import { LinkButton, PostForm, SubmitButton } from "../components/buttons";
import { ConfirmationPage } from "../components/confirmation-page";
import { CodeField, PasswordField } from "../components/credential-fields";
import { Banner } from "../components/display";
import { EndingKeys } from "../components/ending-keys";
import { A } from "../components/mount";
import { NarrowPage } from "../components/narrow-page";

interface FormProps {
  hasPassword: boolean;
  twoFactorEnabled: boolean;
}

const CredentialFields = ({ hasPassword, twoFactorEnabled }: FormProps) => (
  <>
    {hasPassword ? (
      <PasswordField label="Your password" />
    ) : (
      <p class="muted">Your account has no password, so you must have signed in within the last ten minutes.</p>
    )}
    {twoFactorEnabled && <CodeField name="totp" label="Code from your app" hint="Or one of your recovery codes." />}
  </>
);

export function DeleteAccount({ preview, ...form }: FormProps & { preview: AccountPreview }) {
  const { sessions, apiKeys, tenants } = preview;
  const named = (fate: AffectedTenant["fate"]) =>
    tenants.filter((tenant) => tenant.fate === fate).map(({ name }) => name);
  const [going, blocking, staying] = [named("goes"), named("blocks"), named("stays")];
  const above = (
    <>
      {blocking.length > 0 && (
        <Banner kind="note">
          You are the last owner of {blocking.join(", ")}. Make somebody else an owner there, or delete the tenant,
          first.
        </Banner>
      )}
      <section class="card">
        <p>This cannot be undone. At once:</p>
        <ul>
          <li>
            {counted(sessions, "session")} of yours and {counted(apiKeys.length, "API key")} end.
          </li>
          {going.length > 0 && (
            <li>
              {going.join(", ")} {going.length === 1 ? "is" : "are"} deleted with all subscriptions, events and
              deliveries, because nobody else is a member.
            </li>
          )}
          {staying.length > 0 && <li>You leave {staying.join(", ")}. What you created there stays.</li>}
          <li>Your email address is free to register again.</li>
        </ul>
        <EndingKeys keys={apiKeys} />
        <p>
          Keep a copy first: <A to="/security/export">Export my data</A> (once an hour).
        </p>
      </section>
    </>
  );
  return (
    <ConfirmationPage of="account" above={above} action="/security/delete" cancel="/security">
      <CredentialFields {...form} />
      {going.length > 0 && (
        <label class="check">
          <input type="checkbox" name="deleteTenants" value="yes" required /> Also delete {going.join(", ")}
        </label>
      )}
    </ConfirmationPage>
  );
}

interface TenantFormProps {
  name: string;
  hasPassword: boolean;
}

export const DeleteTenant = ({ name, hasPassword, preview }: TenantFormProps & { preview: TenantPreview }) => (
  <ConfirmationPage
    of="tenant"
    name={name}
    above={<EndOfTenant {...preview} />}
    action="/tenants/delete"
    cancel="/tenants"
  >
    <CredentialFields hasPassword={hasPassword} twoFactorEnabled={false} />
  </ConfirmationPage>
);

const EndOfTenant = ({ subscriptions, members, apiKeys }: TenantPreview) => (
  <section class="card">
    <p>This cannot be undone. At once, for everybody:</p>
    <ul>
      <li>
        {counted(subscriptions, "subscription")} no longer {subscriptions === 1 ? "receives" : "receive"} anything, and
        their events and deliveries are deleted.
      </li>
      <li>
        {counted(members, "member")} {members === 1 ? "loses" : "lose"} access and {members === 1 ? "gets" : "get"} an
        email. Accounts stay.
      </li>
      <li>{counted(apiKeys, "API key")} stop working.</li>
    </ul>
    <p>
      Keep a copy first: <A to="/tenants/export">Export the tenant</A>.
    </p>
  </section>
);

export const ExportAccount = ({ hasPassword }: Omit<TenantFormProps, "name">) => (
  <NarrowPage title="Export your data">
    <PostForm action="/security/export" class="card">
      <p>
        A JSON file with all that we keep about you, in all tenants: your sessions, API keys, passkeys and activity. It
        contains no secrets. You can get one every hour, and get an email about it.
      </p>
      <CredentialFields hasPassword={hasPassword} twoFactorEnabled={false} />
      <div class="row">
        <SubmitButton>Download</SubmitButton>
        <LinkButton to="/security">Back</LinkButton>
      </div>
    </PostForm>
  </NarrowPage>
);

export const ExportTenant = ({ name, hasPassword }: TenantFormProps) => (
  <NarrowPage title={`Export ${name}`}>
    <PostForm action="/tenants/export" class="card">
      <p>
        A JSON file with members, invitations, API keys, subscriptions, events and delivery attempts. It contains no
        secrets, payloads or responses.
      </p>
      <CredentialFields hasPassword={hasPassword} twoFactorEnabled={false} />
      <div class="row">
        <SubmitButton>Download</SubmitButton>
        <LinkButton to="/tenants">Back</LinkButton>
      </div>
    </PostForm>
  </NarrowPage>
);

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;
