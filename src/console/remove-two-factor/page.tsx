/**
 * Removing a lost second factor: what the mailed link would do. Only the button does it, so a mail scanner that opens
 * the link does no harm.
 */
import { PostForm, SubmitButton } from "../components/buttons";
import { FailureBanner } from "../components/failure";
import { A, Say } from "../components/mount";
import { Onward, type Way } from "../components/onward";

export const RemoveTwoFactor = ({ token, isValid }: { token: string; isValid: boolean }) => (
  <>
    <h1>
      <Say of="lostFactor.title" />
    </h1>
    <FailureBanner />
    {isValid ? (
      <PostForm action="/remove-two-factor">
        <input type="hidden" name="token" value={token} />
        <ul>
          <li>
            <Say of="lostFactor.off" />
          </li>
          <li>
            <Say of="lostFactor.sessions" />
          </li>
        </ul>
        <p>
          <Say of="lostFactor.ignore" />
        </p>
        <SubmitButton kind="danger">
          <Say of="lostFactor.submit" />
        </SubmitButton>
      </PostForm>
    ) : (
      <p>
        <Say of="lostFactor.over" />
      </p>
    )}
  </>
);

/** It was done. */
export const TwoFactorRemoved = ({ ways }: { ways: readonly Way[] }) => (
  <>
    <h1>
      <Say of="lostFactor.title" />
    </h1>
    <p role="status">
      <Say of="lostFactor.done" />
    </p>
    {ways.length === 0 ? (
      <p>
        <Say
          of="lostFactor.signIn"
          values={{
            signIn: (
              <A to="/sign-in">
                <Say of="signIn.submit" />
              </A>
            ),
          }}
        />
      </p>
    ) : (
      <Onward ways={ways} />
    )}
  </>
);
