/** The sign-in page, which offers passkeys first. */
import type { RequestOptions } from "../../identity/passkeys/webauthn/schemas";
import { withReturnPath } from "../components/address";
import { PostForm, SubmitButton } from "../components/buttons";
import { type CaptchaProps, CaptchaWidget } from "../components/captcha";
import { EmailField, PasswordField } from "../components/credential-fields";
import { FailureBanner } from "../components/failure";
import { A, Say } from "../components/mount";
import { PasskeyForm } from "../components/passkey-form";
import type { OfferedProvider } from "../http/offers";
import { ProviderButtons } from "../providers/buttons";

const ReturnPath = ({ to }: { to: string }) => (to === "" ? null : <input type="hidden" name="to" value={to} />);

interface SignInProps {
  email: string;
  to: string;
  canRegister: boolean;
  mailsCodes: boolean;
  takesPasswords: boolean;
  captcha: CaptchaProps | null;
  /** The options for a sign-in with a passkey; null where no passkey works. */
  passkey: RequestOptions | null;
  providers: readonly OfferedProvider[];
}

export const SignIn = (props: SignInProps) => (
  <>
    <h1>
      <Say of="signIn.title" />
    </h1>
    <FailureBanner />
    {props.passkey && (
      <PasskeyForm action="/sign-in/passkey" kind="get" start={props.passkey} renew="/sign-in/passkey/options">
        <ReturnPath to={props.to} />
        <SubmitButton kind={props.takesPasswords ? "plain" : "main"}>
          <Say of="signIn.passkey" />
        </SubmitButton>
        {props.takesPasswords && (
          <p class="muted">
            <Say of="signIn.orPassword" />
          </p>
        )}
      </PasskeyForm>
    )}
    {props.takesPasswords && <PasswordForm {...props} />}
    <ProviderButtons providers={props.providers} to={props.to} />
    <OtherWays {...props} />
  </>
);

const PasswordForm = ({ email, to, captcha }: SignInProps) => (
  <PostForm action="/sign-in">
    <ReturnPath to={to} />
    <EmailField value={email} autocomplete="username webauthn" />
    <PasswordField />
    <CaptchaWidget captcha={captcha} />
    <SubmitButton>
      <Say of="signIn.submit" />
    </SubmitButton>
  </PostForm>
);

const OtherWays = ({ to, mailsCodes, takesPasswords, canRegister }: SignInProps) => (
  <div class="after-form">
    {mailsCodes && (
      <p>
        <A to={withReturnPath("/sign-in/mail", to)}>
          <Say of={takesPasswords ? "signIn.mailCodeInstead" : "signIn.mailCode"} />
        </A>
      </p>
    )}
    {takesPasswords && (
      <p>
        <A to="/forgot-password">
          <Say of="signIn.forgot" />
        </A>
      </p>
    )}
    {canRegister && (
      <p>
        <Say of="signIn.newHere" />{" "}
        <A to={withReturnPath("/register", to)}>
          <Say of="register.title" />
        </A>
      </p>
    )}
  </div>
);
