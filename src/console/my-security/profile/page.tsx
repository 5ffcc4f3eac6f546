/** The name and the address of the user, and the page that a mail to a new address leads to. */
import type { CurrentUser } from "../../../base/schemas/principal";
import { withReturnPath } from "../../components/address";
import { PostForm, SubmitButton } from "../../components/buttons";
import { Card } from "../../components/display";
import { FailureBanner } from "../../components/failure";
import { TextField } from "../../components/fields";
import { A, Say, useHref } from "../../components/mount";

export interface ProfileProps {
  currentUser: CurrentUser;
  /** The address that waits for its confirmation; null for none. */
  pendingEmail: string | null;
  /** What the field for a new address has in it. */
  newEmail: string;
}

export const ProfileCard = ({ currentUser: { name, email }, pendingEmail, newEmail }: ProfileProps) => (
  <Card id="profile" title="Your name and address">
    <div class="columns">
      <PostForm action="/security/name">
        <TextField name="name" label="Name" value={name ?? ""} autocomplete="name" maxlength={200} />
        <SubmitButton kind="plain">Change name</SubmitButton>
      </PostForm>
      <PostForm action="/security/email">
        <TextField
          name="email"
          label="New email address"
          type="email"
          value={newEmail}
          autocomplete="email"
          required
          hint={`Now ${email}. It changes when you follow the link that we mail to the new address.`}
        />
        {pendingEmail !== null && (
          <p role="status">
            Waiting for you to follow the link in the mail to <strong>{pendingEmail}</strong>.
          </p>
        )}
        <SubmitButton kind="plain">Change address</SubmitButton>
      </PostForm>
    </div>
  </Card>
);

interface ConfirmEmailProps {
  token: string;
  /** The signed-in user's present address; undefined when nobody is signed in. */
  email: string | undefined;
}

/** Only the button changes the address, so a mail scanner that opens the link does no harm. */
export const ConfirmEmail = ({ token, email }: ConfirmEmailProps) => (
  <>
    <h1>
      <Say of="newEmail.title" />
    </h1>
    <FailureBanner />
    {email === undefined ? (
      <p>
        <Say
          of="newEmail.signInFirst"
          values={{
            signIn: (
              <A to={withReturnPath("/sign-in", useHref()(`/confirm-email?token=${encodeURIComponent(token)}`))}>
                <Say of="signIn.submit" />
              </A>
            ),
          }}
        />
      </p>
    ) : (
      <PostForm action="/confirm-email">
        <input type="hidden" name="token" value={token} />
        <p>
          <Say of="newEmail.text" values={{ email: <strong>{email}</strong> }} />
        </p>
        <SubmitButton>
          <Say of="newEmail.submit" />
        </SubmitButton>
      </PostForm>
    )}
  </>
);
