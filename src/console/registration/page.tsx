/** The page on which somebody creates an account. */
import type { CreationOptions } from "../../identity/passkeys/webauthn/schemas";
import { PostForm, SubmitButton } from "../components/buttons";
import { type CaptchaProps, CaptchaWidget } from "../components/captcha";
import { EmailField, NewPasswordField } from "../components/credential-fields";
import { FailureBanner } from "../components/failure";
import { TextField } from "../components/fields";
import { A, Say, useHref, useTexts } from "../components/mount";
import { PasskeyForm, PasskeyName } from "../components/passkey-form";
import type { OfferedProvider } from "../http/offers";
import { ProviderButtons } from "../providers/buttons";

export interface RegisterValues {
  email: string;
  name: string;
  tenantName: string;
  /** From the invitation mail; empty when the user registers a new tenant. */
  invitationToken: string;
  /** Where to go afterwards; "" for the overview. */
  to: string;
}

const HaveAccount = () => (
  <>
    <Say of="signIn.haveAccount" />{" "}
    <A to="/sign-in">
      <Say of="signIn.submit" />
    </A>
  </>
);

export const RegistrationClosed = () => (
  <>
    <h1>
      <Say of="register.closedTitle" />
    </h1>
    <p>
      <Say of="register.closed" />
    </p>
    <p>
      <HaveAccount />
    </p>
  </>
);

interface RegisterProps {
  values: RegisterValues;
  captcha: CaptchaProps | null;
  providers: readonly OfferedProvider[];
  takesPasswords: boolean;
  /** Whether the browser can make a passkey at this address. */
  takesPasskeys: boolean;
}

export const Register = (props: RegisterProps) => (
  <>
    <h1>
      <Say of={props.values.invitationToken ? "register.joinTitle" : "register.title"} />
    </h1>
    <FailureBanner />
    {props.takesPasswords || props.takesPasskeys ? (
      <RegisterForm {...props} />
    ) : (
      <p>
        <Say of="register.noPasskeys" />
      </p>
    )}
    <ProviderButtons providers={props.providers} to="" invitationToken={props.values.invitationToken} />
    <p class="after-form">
      <HaveAccount />
    </p>
  </>
);

const WITH_PASSKEY = "/register/passkey/options";

function RegisterForm({ values, captcha, takesPasswords, takesPasskeys }: RegisterProps) {
  const texts = useTexts();
  const href = useHref();
  return (
    <PostForm action={takesPasswords ? "/register" : WITH_PASSKEY}>
      {values.to && <input type="hidden" name="to" value={values.to} />}
      {values.invitationToken && <input type="hidden" name="invitationToken" value={values.invitationToken} />}
      <EmailField value={values.email} {...(values.invitationToken ? { hint: texts.say("hint.invitedEmail") } : {})} />
      {takesPasswords && (
        <NewPasswordField name="password" label={texts.say("field.password")} hint={texts.say("hint.password")} />
      )}
      <TextField name="name" label={texts.say("field.name")} value={values.name} autocomplete="name" />
      {!values.invitationToken && (
        <TextField
          name="tenantName"
          label={texts.say("field.tenantName")}
          hint={texts.say("hint.tenantName")}
          value={values.tenantName}
          autocomplete="organization"
        />
      )}
      <CaptchaWidget captcha={captcha} />
      <SubmitButton>
        <Say of={takesPasswords ? "register.submit" : "register.continueWithPasskey"} />
      </SubmitButton>
      {takesPasswords && takesPasskeys && (
        <button type="submit" class="button plain" formaction={href(WITH_PASSKEY)} formnovalidate>
          <Say of="register.passkeyInstead" />
        </button>
      )}
    </PostForm>
  );
}

/** The second step of a registration with a passkey. */
export const RegisterPasskey = ({ start }: { start: CreationOptions }) => (
  <>
    <h1>
      <Say of="register.passkeyTitle" />
    </h1>
    <p>
      <Say of="register.passkeyText" />
    </p>
    <PasskeyForm action="/register/passkey" kind="create" start={start}>
      <PasskeyName />
      <SubmitButton>
        <Say of="register.submit" />
      </SubmitButton>
    </PasskeyForm>
    <p class="after-form">
      <A to="/register">
        <Say of="signIn.startAgain" />
      </A>
    </p>
  </>
);
