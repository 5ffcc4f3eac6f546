/** The name and the address of the user, and the page that a mail to a new address leads to. */
import { CONSOLE_PATH } from "../../../base/paths";
import type { CurrentUser } from "../../../base/schemas/principal";
import { PostForm, SubmitButton } from "../../components/buttons";
import { Card } from "../../components/display";
import { FailureBanner } from "../../components/failure";
import { TextField } from "../../components/fields";
import { A } from "../../components/mount";
import { withReturnPath } from "../../sign-in/sign-in";

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
    <h1>Confirm your new address</h1>
    <FailureBanner />
    {email === undefined ? (
      <p>
        <A to={withReturnPath("/sign-in", `${CONSOLE_PATH}/confirm-email?token=${encodeURIComponent(token)}`)}>
          Sign in
        </A>{" "}
        with your present address first. If you did not ask for another address, close this page: nothing changes.
      </p>
    ) : (
      <PostForm action="/confirm-email">
        <input type="hidden" name="token" value={token} />
        <p>
          You are signed in as <strong>{email}</strong>. From now on, this account has the address that the link was
          mailed to, and you sign in with that. Other links that we have mailed to you end.
        </p>
        <SubmitButton>Use the new address</SubmitButton>
      </PostForm>
    )}
  </>
);
