/** The pages that need no session: sign in, register, and the targets of mail links. */

import { CONSOLE_PATH } from "../../base/paths";
import type { InvitationAddress } from "../../identity/invitations/store";
import { PostForm, SubmitButton } from "../components/buttons";
import { type CaptchaProps, CaptchaWidget } from "../components/captcha";
import { EmailField, NewPasswordField } from "../components/credential-fields";
import { Moment } from "../components/display";
import { FailureBanner } from "../components/failure";
import { A } from "../components/mount";
import { useFailure } from "../components/shown-failure";
import { withReturnPath } from "./sign-in";

interface VerifyProps {
  token: string;
  /** Who registered the address; null when the link is not valid, or the address is verified already. */
  claim: { email: string; createdAt: number; createdFrom: string | null } | null;
}

/** Only the buttons use the token, so a mail scanner that opens the link does no harm. */
export const VerifyEmail = ({ token, claim }: VerifyProps) => (
  <>
    <h1>Verify your email</h1>
    <FailureBanner />
    {useFailure() ? (
      <p>
        <A to="/sign-in">Sign in</A> to get a new link.
      </p>
    ) : (
      <PostForm action="/verify-email">
        <input type="hidden" name="token" value={token} />
        {claim ? (
          <p>
            An account with the address <strong>{claim.email}</strong> was created on <Moment at={claim.createdAt} />
            {claim.createdFrom && `, from ${claim.createdFrom}`}. If this was you, confirm that the address is yours.
          </p>
        ) : (
          <p>Confirm that this address is yours.</p>
        )}
        <SubmitButton>Verify email</SubmitButton>
      </PostForm>
    )}
    {claim && (
      <PostForm action="/not-me">
        <input type="hidden" name="token" value={token} />
        <p>
          If this was not you, do not confirm. Whatever was set up with your address ends, and you get an email with a
          link to set a password of your own.
        </p>
        <SubmitButton kind="danger">This was not me</SubmitButton>
      </PostForm>
    )}
  </>
);

interface ForgotProps {
  email: string;
  sent: boolean;
  captcha: CaptchaProps | null;
}

export const ForgotPassword = ({ email, sent, captcha }: ForgotProps) => (
  <>
    <h1>Forgot your password?</h1>
    <FailureBanner />
    {sent ? (
      <p role="status">If an account exists for that email, a reset link has been sent. It works for one hour.</p>
    ) : (
      <PostForm action="/forgot-password">
        <EmailField value={email} />
        <CaptchaWidget captcha={captcha} />
        <SubmitButton>Send a reset link</SubmitButton>
      </PostForm>
    )}
    <p class="after-form">
      <A to="/sign-in">Back to sign-in</A>
    </p>
  </>
);

const RESET_HINT = "At least 8 characters. Several unusual words make a good password. All your sessions will end.";

export const ResetPassword = ({ token }: { token: string }) => (
  <>
    <h1>Set a new password</h1>
    <FailureBanner />
    <PostForm action="/reset-password">
      <input type="hidden" name="token" value={token} />
      <NewPasswordField hint={RESET_HINT} />
      <label class="check">
        <input type="checkbox" name="endCredentials" value="yes" checked /> Also end my API keys, passkeys and sign-ins
        with providers
      </label>
      <SubmitButton>Set password</SubmitButton>
    </PostForm>
    <p class="after-form">
      <A to="/forgot-password">Send another link</A>
    </p>
  </>
);

interface InvitationProps {
  token: string;
  /** The signed-in user's address; undefined when nobody is signed in. */
  email: string | undefined;
  /** What the invitation says; null if it is not open any more. */
  invitation: InvitationAddress | null;
}

export const AcceptInvitation = ({ token, email, invitation }: InvitationProps) => {
  const here = `${CONSOLE_PATH}/accept-invitation?token=${encodeURIComponent(token)}`;
  return (
    <>
      <h1>You are invited</h1>
      <FailureBanner />
      {invitation ? (
        <p class="break">
          {invitation.inviter === null ? (
            <>
              <strong>{invitation.email}</strong> is invited
            </>
          ) : (
            <>
              <strong>{invitation.inviter}</strong> invites <strong>{invitation.email}</strong>
            </>
          )}{" "}
          to join the tenant "{invitation.tenantName}" with the role <strong>{invitation.role}</strong>.
        </p>
      ) : (
        <p>This invitation has been used, was revoked or has expired. Ask for another one.</p>
      )}
      {email === undefined ? (
        <>
          <p>Join with an account for the address that the invitation was sent to.</p>
          <p>
            <A class="button main" to={`/register?invitation=${encodeURIComponent(token)}`}>
              Create an account
            </A>
          </p>
          <p>
            Have an account? <A to={withReturnPath("/sign-in", here)}>Sign in</A>
          </p>
        </>
      ) : (
        <PostForm action="/accept-invitation">
          <input type="hidden" name="token" value={token} />
          <p>
            You are signed in as <strong>{email}</strong>.
          </p>
          <SubmitButton>Accept the invitation</SubmitButton>
        </PostForm>
      )}
    </>
  );
};
