/** The sign-in page, which offers passkeys first. */
import type { PropsWithChildren } from "hono/jsx";
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

export const ReturnPath = ({ to }: { to: string }) => (to === "" ? null : <input type="hidden" name="to" value={to} />);

/** The ways to sign in that a page offers. */
export interface SignInOffers {
  canRegister: boolean;
  mailsCodes: boolean;
  takesPasswords: boolean;
  /** The options for a sign-in with a passkey; null where no passkey works. */
  passkey: RequestOptions | null;
  providers: readonly OfferedProvider[];
}

interface SignInProps extends SignInOffers {
  email: string;
  to: string;
  captcha: CaptchaProps | null;
  /** Whether tenants sign people on: then everybody is offered it, so that the page tells nothing of an address. */
  signsOn: boolean;
}

export const SignIn = (props: SignInProps) => (
  <>
    <h1>
      <Say of="signIn.title" />
    </h1>
    <FailureBanner />
    <PasskeyButton {...props} kind={props.takesPasswords ? "plain" : "main"}>
      {props.takesPasswords && (
        <p class="muted">
          <Say of="signIn.orPassword" />
        </p>
      )}
    </PasskeyButton>
    {props.takesPasswords && <PasswordForm {...props} />}
    <ProviderButtons providers={props.providers} to={props.to} />
    {props.signsOn && <SignOnForm {...props} />}
    <OtherWays {...props} />
  </>
);

type PasskeyProps = PropsWithChildren<Pick<SignInProps, "passkey" | "to"> & { kind: "main" | "plain" }>;

export const PasskeyButton = ({ passkey, to, kind, children }: PasskeyProps) =>
  passkey && (
    <PasskeyForm action="/sign-in/passkey" kind="get" start={passkey} renew="/sign-in/passkey/options">
      <ReturnPath to={to} />
      <SubmitButton kind={kind}>
        <Say of="signIn.passkey" />
      </SubmitButton>
      {children}
    </PasskeyForm>
  );

/** Whether there is a sign-on for the address, only its mailbox learns. */
const SignOnForm = ({ email, to }: SignInProps) => (
  <PostForm action="/sign-in/sign-on">
    <ReturnPath to={to} />
    <input type="hidden" name="email" value={email} />
    <SubmitButton kind="plain">
      <Say of="signIn.signOn" />
    </SubmitButton>
  </PostForm>
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

type OtherWaysProps = Pick<SignInProps, "to" | "mailsCodes" | "takesPasswords" | "canRegister"> & { signsOn?: boolean };

export const OtherWays = ({ to, mailsCodes, takesPasswords, canRegister, signsOn = false }: OtherWaysProps) => (
  <div class="after-form">
    {signsOn && (
      <p>
        <A to={withReturnPath("/sign-in", to)}>
          <Say of="signIn.otherAddress" />
        </A>
      </p>
    )}
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
