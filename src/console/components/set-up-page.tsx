/** What an operator sees who has neither a second factor nor a passkey. */

import { LinkButton } from "./buttons";
import { NarrowPage } from "./narrow-page";

export const SetUpFactor = () => (
  <NarrowPage title="Operator">
    <div class="card">
      <p>
        <strong>Operators need two-factor authentication or a passkey.</strong> Set one up for your account, then come
        back.
      </p>
      <p class="row">
        <LinkButton to="/security#two-factor" kind="main">
          Set up two-factor authentication
        </LinkButton>
        <LinkButton to="/security#passkeys">Add a passkey</LinkButton>
      </p>
    </div>
  </NarrowPage>
);
