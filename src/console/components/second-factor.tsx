/** The form that asks for the second factor during a sign-in. */
import { PostForm, SubmitButton } from "./buttons";
import { CodeField } from "./credential-fields";
import { FailureBanner } from "./failure";
import { A } from "./mount";

interface SecondFactorProps {
  action: string;
  /** What the form sends besides the code. */
  fields?: Readonly<Record<string, string>>;
  /** The link to start again. */
  back?: { to: string; text: string };
}

const START_AGAIN = { to: "/sign-in", text: "Start again" };

export const SecondFactor = ({ action, fields = {}, back = START_AGAIN }: SecondFactorProps) => (
  <>
    <h1>Two-factor code</h1>
    <FailureBanner />
    <PostForm action={action}>
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <CodeField
        name="totp"
        autofocus
        hint="The 6-digit code from your authenticator app, or one of your recovery codes."
      />
      <SubmitButton>Sign in</SubmitButton>
    </PostForm>
    <p class="after-form">
      <A to={back.to}>{back.text}</A>
    </p>
  </>
);
