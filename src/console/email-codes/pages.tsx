/** Signing in with a code from a mail: asking for it, and entering it. */
import { PostForm, SubmitButton } from "../components/buttons";
import { type CaptchaProps, CaptchaWidget } from "../components/captcha";
import { CodeField, EmailField } from "../components/credential-fields";
import { FailureBanner } from "../components/failure";
import { A } from "../components/mount";

interface FormProps {
  /** The path to redirect to after sign-in. */
  to: string;
}

interface RequestCodeProps extends FormProps {
  email: string;
  captcha: CaptchaProps | null;
}

export const RequestCode = ({ email, to, captcha }: RequestCodeProps) => (
  <>
    <h1>Sign in with a code</h1>
    <FailureBanner />
    <p>We mail you a code of six digits. You need no password.</p>
    <PostForm action="/sign-in/mail">
      <input type="hidden" name="to" value={to} />
      <EmailField value={email} />
      <CaptchaWidget captcha={captcha} />
      <SubmitButton>Mail me a code</SubmitButton>
    </PostForm>
    <p class="after-form">
      <A to="/sign-in">Sign in with a password</A>
    </p>
  </>
);

export const EnterCode = ({ to }: FormProps) => (
  <>
    <h1>Enter the code</h1>
    <FailureBanner />
    <p role="status">
      If an account exists for that email, a code has been sent. It works once, within 10 minutes. At most three are
      sent in 15 minutes.
    </p>
    <PostForm action="/sign-in/mail/code">
      <input type="hidden" name="to" value={to} />
      <CodeField inputmode="numeric" autofocus hint="The six digits in the email." />
      <SubmitButton>Sign in</SubmitButton>
    </PostForm>
    <p class="after-form">
      <A to="/sign-in/mail">Send another code</A>
    </p>
  </>
);
