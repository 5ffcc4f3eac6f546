/** The user's own security: password, second factor and sessions. */

import type { Passkey } from "../../identity/passkeys/webauthn/schemas";
import type { Session } from "../../identity/sessions/schemas";
import { ActionButton, LinkButton, PostForm, SubmitButton } from "../components/buttons";
import { CodeField, NewPasswordField, PasswordField } from "../components/credential-fields";
import { Badge, Card, Time } from "../components/display";
import { FailureBanner } from "../components/failure";
import { A } from "../components/mount";
import { Passkeys } from "../passkeys/pages";
import { Identities, type IdentitiesProps, NoPassword } from "./identities";
import { ProfileCard, type ProfileProps } from "./profile/page";

interface SecurityProps extends IdentitiesProps, ProfileProps {
  sessions: readonly Session[];
  passkeys: readonly Passkey[];
  takesPasswords: boolean;
  /** Whether the browser can create a passkey at this address. */
  canAddPasskey: boolean;
  /** JSON. */
  acceptedPasskeys: string;
  /** Whether people sign in to apps here. */
  hasApps: boolean;
}

export const Security = ({
  currentUser,
  sessions,
  passkeys,
  canAddPasskey,
  acceptedPasskeys,
  ...own
}: SecurityProps) => (
  <>
    <h1>My security</h1>
    <FailureBanner />
    <ProfileCard currentUser={currentUser} pendingEmail={own.pendingEmail} newEmail={own.newEmail} />
    <div class="columns">
      {currentUser.twoFactorEnabled ? (
        <TwoFactorOn lacksRecoveryCodes={currentUser.lacksRecoveryCodes} />
      ) : (
        <TwoFactorOff />
      )}
      {own.hasPassword && <ChangePassword email={currentUser.email} />}
      {own.takesPasswords && !own.hasPassword && <NoPassword email={currentUser.email} />}
    </div>
    {(canAddPasskey || passkeys.length > 0) && (
      <Passkeys passkeys={passkeys} canAdd={canAddPasskey} accepted={acceptedPasskeys} />
    )}
    {(own.providers.length > 0 || own.identities.length > 0) && <Identities {...own} />}
    <OwnSessions sessions={sessions} hasApps={own.hasApps} />
    <Card id="account" title="Your account">
      <p class="muted">The export is a JSON file with all that we keep about you.</p>
      <div class="row">
        <LinkButton to="/security/export">Export my data</LinkButton>
        <LinkButton to="/security/delete" kind="danger">
          Delete my account
        </LinkButton>
      </div>
    </Card>
  </>
);

/** What somebody sees who has signed in by the tenant's own sign-on, which opens nothing else of the account. */
export const ConfinedSecurity = (own: Pick<SecurityProps, "sessions" | "hasApps">) => (
  <>
    <h1>My security</h1>
    <FailureBanner />
    <p class="muted">
      You have signed in with your organisation. Your password, your second factor and what else is about your account
      can be changed after you sign in with your own credentials.
    </p>
    <OwnSessions {...own} />
  </>
);

const OwnSessions = ({ sessions, hasApps }: Pick<SecurityProps, "sessions" | "hasApps">) => (
  <>
    <p>
      <A to="/security/activity">My activity</A> · <A to="/alerts">Subscription notices</A>
      {hasApps && (
        <>
          {" "}
          · <A to="/apps">Connected apps</A>
        </>
      )}
    </p>
    <section class="card" aria-labelledby="sessions">
      <div class="head">
        <h2 id="sessions">Sessions</h2>
        <ActionButton action="/security/sign-out-everywhere" kind="danger">
          Sign out everywhere
        </ActionButton>
      </div>
      <ul class="list">
        {sessions.map((session) => (
          <SessionRow session={session} />
        ))}
      </ul>
    </section>
  </>
);

const TwoFactorOff = () => (
  <section class="card" aria-labelledby="two-factor">
    <h2 id="two-factor">
      Two-factor authentication <Badge tone="calm">Off</Badge>
    </h2>
    <p>Signing in will require a code from an authenticator app as well as your password.</p>
    <ActionButton action="/security/two-factor" kind="main">
      Set up
    </ActionButton>
  </section>
);

/** One field with two buttons, which post it to different routes. */
const TwoFactorOn = ({ lacksRecoveryCodes }: { lacksRecoveryCodes: boolean }) => (
  <section class="card" aria-labelledby="two-factor">
    <h2 id="two-factor">
      Two-factor authentication <Badge tone="ok">On</Badge>
    </h2>
    {lacksRecoveryCodes ? (
      <p>
        You have no recovery codes. If you lose your phone, you lose your account. <strong>Create them now.</strong>
      </p>
    ) : (
      <p class="muted">Lost your recovery codes? New ones replace the old ones.</p>
    )}
    <PostForm action="/security/recovery-codes">
      <CodeField name="token" label="Code from your app" hint="Or one of your recovery codes." />
      <div class="row">
        <SubmitButton kind="plain">New recovery codes</SubmitButton>
        <SubmitButton kind="danger" formaction="/security/two-factor/disable">
          Turn off
        </SubmitButton>
      </div>
    </PostForm>
  </section>
);

const ChangePassword = ({ email }: { email: string }) => (
  <Card id="password" title="Password">
    <PostForm action="/security/password">
      <input type="text" hidden autocomplete="username" value={email} readonly />
      <PasswordField name="currentPassword" label="Current password" />
      <NewPasswordField hint="Your other sessions will end." />
      <SubmitButton kind="plain">Change password</SubmitButton>
    </PostForm>
  </Card>
);

const SessionRow = ({ session }: { session: Session }) => (
  <li>
    <div>
      <strong>{session.deviceName ?? "Unknown device"}</strong>{" "}
      {session.current && <Badge tone="ok">This session</Badge>}
      <div class="small muted">
        {[session.location, session.ipAddress].filter(Boolean).join(", ") || "Unknown location"}; signed in{" "}
        <Time at={session.createdAt} />, last active <Time at={session.lastActivityAt} />
        {session.apps && `; signed in to ${session.apps.join(", ")}`}
      </div>
    </div>
    {!session.current && (
      <ActionButton
        action={`/security/sessions/${session.id}/revoke`}
        kind="danger"
        label={`Revoke ${session.deviceName ?? "the session"}`}
      >
        Revoke
      </ActionButton>
    )}
  </li>
);
