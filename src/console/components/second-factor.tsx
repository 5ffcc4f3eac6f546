/** The form that asks for the second factor during a sign-in. */
import type { TextKey } from "../../base/texts/en";
import { PostForm, SubmitButton } from "./buttons";
import { CodeField } from "./credential-fields";
import { FailureBanner } from "./failure";
import { A, Say, useTexts } from "./mount";

interface SecondFactorProps {
  action: string;
  /** What the form sends besides the code. */
  fields?: Readonly<Record<string, string>>;
  /** The link to start again. */
  back?: { to: string; text: TextKey };
}

const START_AGAIN = { to: "/sign-in", text: "signIn.startAgain" } as const;

export const SecondFactor = ({ action, fields = {}, back = START_AGAIN }: SecondFactorProps) => (
  <>
    <h1>
      <Say of="signIn.factor" />
    </h1>
    <FailureBanner />
    <PostForm action={action}>
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <CodeField name="totp" autofocus hint={useTexts().say("hint.totp")} />
      <SubmitButton>
        <Say of="signIn.submit" />
      </SubmitButton>
    </PostForm>
    <p class="after-form">
      <A to={back.to}>
        <Say of={back.text} />
      </A>
    </p>
  </>
);
