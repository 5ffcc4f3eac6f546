/** The page on which people set up a second factor, because a tenant or an app requires one. */
import { LinkButton, PostForm, SubmitButton } from "../../components/buttons";
import { Say } from "../../components/mount";
import { NarrowPage } from "../../components/narrow-page";

interface FactorProps {
  /** Who requires it: a tenant or an app; undefined when nobody does now. */
  by: string | undefined;
  /** Whether a passkey alone will do. */
  withPasskey: boolean;
  /** Whether the person has one that works here, and need only show it. */
  hasPasskey: boolean;
  /** Whether one can be made at this address. */
  takesPasskeys: boolean;
}

export const SecondFactorNeeded = ({ by, withPasskey, hasPasskey, takesPasskeys }: FactorProps) => (
  <NarrowPage title={<Say of={withPasskey ? "passkey.add" : "factor.title"} />}>
    <div class="card">
      {by === undefined ? null : (
        <p class="break">
          <Say of={withPasskey ? "factor.wantsPasskey" : "factor.wants"} values={{ by: <strong>{by}</strong> }} />
        </p>
      )}
      <div class="row">
        {withPasskey ? null : (
          <PostForm action="/security/two-factor" class="inline">
            <SubmitButton>
              <Say of="factor.setUp" />
            </SubmitButton>
          </PostForm>
        )}
        {hasPasskey ? (
          <LinkButton to="/security/confirm?to=/account">
            <Say of="confirm.passkey" />
          </LinkButton>
        ) : null}
        {takesPasskeys && !hasPasskey ? (
          <LinkButton to="/security/passkeys/new" kind={withPasskey ? "main" : "plain"}>
            <Say of="passkey.add" />
          </LinkButton>
        ) : null}
      </div>
    </div>
  </NarrowPage>
);
