/** The page on which somebody creates an account. */
import { PostForm, SubmitButton } from "../components/buttons";
import { Captcha, type CaptchaProps } from "../components/captcha";
import { FailureBanner } from "../components/display";
import { TextField } from "../components/fields";
import type { Failure } from "../failure";
import { ProviderButtons } from "../providers/buttons";
import type { OfferedProvider } from "../providers/providers";

export interface RegisterValues {
  email: string;
  name: string;
  tenantName: string;
  /** From the invitation mail; empty when the user registers a new tenant. */
  invitationToken: string;
}

export const RegistrationClosed = () => (
  <>
    <h1>Registration is by invitation</h1>
    <p>Ask an administrator to invite you. The link in the invitation leads to the form.</p>
    <p>
      Have an account? <a href="/console/sign-in">Sign in</a>
    </p>
  </>
);

interface RegisterProps {
  failure?: Failure | undefined;
  values: RegisterValues;
  captcha: CaptchaProps | null;
  providers: readonly OfferedProvider[];
}

export const Register = ({ values, captcha, providers, failure }: RegisterProps) => (
  <>
    <h1>{values.invitationToken ? "Create an account and join" : "Create an account"}</h1>
    <FailureBanner failure={failure} />
    <PostForm action="/console/register">
      {values.invitationToken && <input type="hidden" name="invitationToken" value={values.invitationToken} />}
      <TextField
        name="email"
        label="Email"
        type="email"
        value={values.email}
        autocomplete="username"
        required
        failure={failure}
        {...(values.invitationToken ? { hint: "The address that the invitation was sent to." } : {})}
      />
      <TextField
        name="password"
        label="Password"
        type="password"
        autocomplete="new-password"
        required
        hint="At least 8 characters. Several unusual words make a good password."
        failure={failure}
      />
      <TextField name="name" label="Your name (optional)" value={values.name} autocomplete="name" failure={failure} />
      {!values.invitationToken && (
        <TextField
          name="tenantName"
          label="Tenant name (optional)"
          hint="For example, your company or your team."
          value={values.tenantName}
          autocomplete="organization"
          failure={failure}
        />
      )}
      <Captcha captcha={captcha} />
      <SubmitButton>Create account</SubmitButton>
    </PostForm>
    <ProviderButtons providers={providers} to="" invitationToken={values.invitationToken} />
    <p class="after-form">
      Have an account? <a href="/console/sign-in">Sign in</a>
    </p>
  </>
);
