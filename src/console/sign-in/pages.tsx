/** The pages that need no session: sign in, register, and the targets of mail links. */

import type { InvitationAddress } from "../../identity/invitations/store";
import { withReturnPath } from "../components/address";
import { PostForm, SubmitButton } from "../components/buttons";
import { type CaptchaProps, CaptchaWidget } from "../components/captcha";
import { EmailField, NewPasswordField } from "../components/credential-fields";
import { Moment } from "../components/display";
import { FailureBanner } from "../components/failure";
import { A, Say, useHref, useTexts } from "../components/mount";
import { useFailure } from "../components/shown-failure";

interface VerifyProps {
  token: string;
  /** Who registered the address; null when the link is not valid, or the address is verified already. */
  claim: { email: string; createdAt: number; createdFrom: string | null } | null;
}

/** Only the buttons use the token, so a mail scanner that opens the link does no harm. */
export const VerifyEmail = ({ token, claim }: VerifyProps) => (
  <>
    <h1>
      <Say of="verify.title" />
    </h1>
    <FailureBanner />
    {useFailure() ? (
      <p>
        <A to="/sign-in">
          <Say of="verify.newLink" />
        </A>
      </p>
    ) : (
      <PostForm action="/verify-email">
        <input type="hidden" name="token" value={token} />
        {claim ? (
          <p>
            <Say
              of={claim.createdFrom === null ? "verify.claim" : "verify.claimFrom"}
              values={{
                email: <strong>{claim.email}</strong>,
                time: <Moment at={claim.createdAt} />,
                place: claim.createdFrom,
              }}
            />{" "}
            <Say of="verify.confirm" />
          </p>
        ) : (
          <p>
            <Say of="verify.plain" />
          </p>
        )}
        <SubmitButton>
          <Say of="verify.submit" />
        </SubmitButton>
      </PostForm>
    )}
    {claim && (
      <PostForm action="/not-me">
        <input type="hidden" name="token" value={token} />
        <p>
          <Say of="verify.notMeText" />
        </p>
        <SubmitButton kind="danger">
          <Say of="verify.notMe" />
        </SubmitButton>
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
    <h1>
      <Say of="forgot.title" />
    </h1>
    <FailureBanner />
    {sent ? (
      <p role="status">
        <Say of="forgot.sent" />
      </p>
    ) : (
      <PostForm action="/forgot-password">
        <EmailField value={email} />
        <CaptchaWidget captcha={captcha} />
        <SubmitButton>
          <Say of="forgot.submit" />
        </SubmitButton>
      </PostForm>
    )}
    <p class="after-form">
      <A to="/sign-in">
        <Say of="forgot.back" />
      </A>
    </p>
  </>
);

export const ResetPassword = ({ token }: { token: string }) => (
  <>
    <h1>
      <Say of="reset.title" />
    </h1>
    <FailureBanner />
    <PostForm action="/reset-password">
      <input type="hidden" name="token" value={token} />
      <NewPasswordField hint={useTexts().say("hint.newPassword")} />
      <label class="check">
        <input type="checkbox" name="endCredentials" value="yes" checked /> <Say of="reset.endCredentials" />
      </label>
      <SubmitButton>
        <Say of="reset.submit" />
      </SubmitButton>
    </PostForm>
    <p class="after-form">
      <A to="/forgot-password">
        <Say of="reset.again" />
      </A>
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
  const here = useHref()(`/accept-invitation?token=${encodeURIComponent(token)}`);
  return (
    <>
      <h1>
        <Say of="invitation.title" />
      </h1>
      <FailureBanner />
      {invitation ? (
        <p class="break">
          <Say
            of={invitation.inviter === null ? "invitation.invited" : "invitation.invitedBy"}
            values={{
              inviter: <strong>{invitation.inviter}</strong>,
              email: <strong>{invitation.email}</strong>,
              tenant: invitation.tenantName,
              role: <strong>{invitation.role}</strong>,
            }}
          />
        </p>
      ) : (
        <p>
          <Say of="invitation.over" />
        </p>
      )}
      {email === undefined ? (
        <>
          <p>
            <Say of="invitation.join" />
          </p>
          <p>
            <A class="button main" to={`/register?invitation=${encodeURIComponent(token)}`}>
              <Say of="register.title" />
            </A>
          </p>
          <p>
            <Say of="signIn.haveAccount" />{" "}
            <A to={withReturnPath("/sign-in", here)}>
              <Say of="signIn.submit" />
            </A>
          </p>
        </>
      ) : (
        <PostForm action="/accept-invitation">
          <input type="hidden" name="token" value={token} />
          <p>
            <Say of="invitation.signedInAs" values={{ email: <strong>{email}</strong> }} />
          </p>
          <SubmitButton>
            <Say of="invitation.accept" />
          </SubmitButton>
        </PostForm>
      )}
    </>
  );
};
