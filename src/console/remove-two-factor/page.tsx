/**
 * Removing a lost second factor: what the mailed link would do. Only the button does it, so a mail scanner that opens
 * the link does no harm.
 */
import { PostForm, SubmitButton } from "../components/buttons";
import { FailureBanner } from "../components/failure";
import { A } from "../components/mount";

export const RemoveTwoFactor = ({ token, isValid }: { token: string; isValid: boolean }) => (
  <>
    <h1>Remove the lost second factor</h1>
    <FailureBanner />
    {isValid ? (
      <PostForm action="/remove-two-factor">
        <input type="hidden" name="token" value={token} />
        <ul>
          <li>Two-factor authentication is turned off for your account, and its recovery codes stop working.</li>
          <li>All your sessions end.</li>
        </ul>
        <p>If you did not ask for this, close this page: nothing changes.</p>
        <SubmitButton kind="danger">Remove it</SubmitButton>
      </PostForm>
    ) : (
      <p>The link works once, for 24 hours. Ask the operator of this service for another one.</p>
    )}
  </>
);

/** It was done. */
export const TwoFactorRemoved = () => (
  <>
    <h1>Remove the lost second factor</h1>
    <p role="status">Two-factor authentication is off, and all your sessions have ended.</p>
    <p>
      <A to="/sign-in">Sign in</A>, and set it up again under “My security”.
    </p>
  </>
);
