/** The page on which somebody creates an account. */
import type { CreationOptions } from "../../identity/passkeys/webauthn/schemas";
import { PostForm, SubmitButton } from "../components/buttons";
import { type CaptchaProps, CaptchaWidget } from "../components/captcha";
import { EmailField, NewPasswordField } from "../components/credential-fields";
import { FailureBanner } from "../components/failure";
import { TextField } from "../components/fields";
import { A, useHref } from "../components/mount";
import { PasskeyForm, PasskeyName } from "../components/passkey-form";
import { ProviderButtons } from "../providers/buttons";
import type { OfferedProvider } from "../providers/providers";

export interface RegisterValues {
  email: string;
  name: string;
  tenantName: string;
  /** From the invitation mail; empty when the user registers a new tenant. */
  invitationToken: string;
  /** Where to go afterwards; "" for the overview. */
  to: string;
}

export const RegistrationClosed = () => (
  <>
    <h1>Registration is by invitation</h1>
    <p>Ask an administrator to invite you. The link in the invitation leads to the form.</p>
    <p>
      Have an account? <A to="/sign-in">Sign in</A>
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
    <h1>{props.values.invitationToken ? "Create an account and join" : "Create an account"}</h1>
    <FailureBanner />
    {props.takesPasswords || props.takesPasskeys ? (
      <RegisterForm {...props} />
    ) : (
      <p>Passkeys cannot be made at this address. Create your account in the app, or with a provider.</p>
    )}
    <ProviderButtons providers={props.providers} to="" invitationToken={props.values.invitationToken} />
    <p class="after-form">
      Have an account? <A to="/sign-in">Sign in</A>
    </p>
  </>
);

const WITH_PASSKEY = "/register/passkey/options";

const RegisterForm = ({ values, captcha, takesPasswords, takesPasskeys }: RegisterProps) => (
  <PostForm action={takesPasswords ? "/register" : WITH_PASSKEY}>
    {values.to && <input type="hidden" name="to" value={values.to} />}
    {values.invitationToken && <input type="hidden" name="invitationToken" value={values.invitationToken} />}
    <EmailField
      value={values.email}
      {...(values.invitationToken ? { hint: "The address that the invitation was sent to." } : {})}
    />
    {takesPasswords && (
      <NewPasswordField
        name="password"
        label="Password"
        hint="At least 8 characters. Several unusual words make a good password."
      />
    )}
    <TextField name="name" label="Your name (optional)" value={values.name} autocomplete="name" />
    {!values.invitationToken && (
      <TextField
        name="tenantName"
        label="Tenant name (optional)"
        hint="For example, your company or your team."
        value={values.tenantName}
        autocomplete="organization"
      />
    )}
    <CaptchaWidget captcha={captcha} />
    <SubmitButton>{takesPasswords ? "Create account" : "Continue with a passkey"}</SubmitButton>
    {takesPasswords && takesPasskeys && (
      <button type="submit" class="button" formaction={useHref()(WITH_PASSKEY)} formnovalidate>
        Use a passkey instead of a password
      </button>
    )}
  </PostForm>
);

/** The second step of a registration with a passkey. */
export const RegisterPasskey = ({ start }: { start: CreationOptions }) => (
  <>
    <h1>Make your passkey</h1>
    <p>Your browser will ask you to unlock your device, or to choose where the passkey is kept.</p>
    <PasskeyForm action="/register/passkey" kind="create" start={start}>
      <PasskeyName />
      <SubmitButton>Create account</SubmitButton>
    </PasskeyForm>
    <p class="after-form">
      <A to="/register">Start again</A>
    </p>
  </>
);
