/** Linking a provider to the account that has the same address: a code that is mailed to it shows whose it is. */
import { PostForm, SubmitButton } from "../components/buttons";
import { type CaptchaProps, CaptchaWidget } from "../components/captcha";
import { CodeField } from "../components/credential-fields";
import { FailureBanner } from "../components/failure";
import { A } from "../components/mount";

/** As errors of the API name it. */
export const CONSENT_FIELD = "mailCode.code";

interface ConsentProps {
  email: string;
  /** Of the provider. */
  label: string;
  /** What both forms send besides what is typed. */
  fields: Readonly<Record<"code" | "to", string>>;
}

const Hidden = ({ fields }: Pick<ConsentProps, "fields">) => (
  <>
    {Object.entries(fields).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
);

const OtherWays = () => (
  <p class="after-form">
    <A to="/sign-in">Sign in in another way</A>
  </p>
);

export const AskForConsent = ({ email, label, fields, captcha }: ConsentProps & { captcha: CaptchaProps | null }) => (
  <>
    <h1>Is this account yours?</h1>
    <FailureBanner />
    <p>
      {email} has an account here that was never used with {label}. We can mail a code to this address. When you enter
      it, {label} opens the account from now on, and its other sessions end.
    </p>
    <PostForm action="/oauth/mail-code">
      <Hidden fields={fields} />
      <CaptchaWidget captcha={captcha} />
      <SubmitButton>Mail me a code</SubmitButton>
    </PostForm>
    <OtherWays />
  </>
);

export const EnterConsent = ({ email, label, fields }: ConsentProps) => (
  <>
    <h1>Enter the code</h1>
    <FailureBanner />
    <p role="status">
      A code is on its way to {email}. Enter it within five minutes of your sign-in with {label}.
    </p>
    <PostForm action="/oauth">
      <Hidden fields={fields} />
      <CodeField name={CONSENT_FIELD} inputmode="numeric" autofocus hint="The six digits in the email." />
      <SubmitButton>Sign in with {label}</SubmitButton>
    </PostForm>
    <OtherWays />
  </>
);
