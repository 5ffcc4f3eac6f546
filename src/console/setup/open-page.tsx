/** The page that asks for the code that was mailed to the address of a setup link. */
import { SubmitButton } from "../components/buttons";
import { Card, EmptyState } from "../components/display";
import { FailureBanner } from "../components/failure";
import { TextField } from "../components/fields";
import { useHref } from "../components/mount";

export interface EnteredSetupCode {
  token: string;
  state: string;
  code: string;
}

export const EnterSetupCode = ({ values: { token, state, code } }: { values: EnteredSetupCode }) => (
  <div class="narrow">
    <h1>Enter the code</h1>
    <FailureBanner />
    <Card id="code" title="A code was mailed to the address that this link is for">
      <form method="post" action={useHref()("/open")}>
        <input type="hidden" name="token" value={token} />
        <input type="hidden" name="state" value={state} />
        <TextField name="code" label="Code" value={code} inputmode="numeric" autocomplete="one-time-code" required />
        <SubmitButton>Continue</SubmitButton>
      </form>
    </Card>
  </div>
);

export const NothingHere = () => (
  <EmptyState title="Nothing to set up here">
    <p class="muted">What this link is for has no page. Ask whoever gave it to you.</p>
  </EmptyState>
);
