/** What a tenant requires of its members: a second factor, and its own sign-on. */
import type { Child } from "hono/jsx";
import type { Policy } from "../../identity/policy/schemas";
import { FormButtons, PostForm } from "../components/buttons";
import { Moment } from "../components/display";
import { Select, TextField } from "../components/fields";
import { NarrowPage } from "../components/narrow-page";

export interface PolicyValues {
  requireSecondFactor: string;
  graceDays: string;
  unlistedApps: string;
  "signOn.require": string;
  "signOn.graceDays": string;
}

interface PolicyProps {
  tenantName: string;
  policy: Policy;
  values: PolicyValues;
  /** Whether tenants can sign on. */
  hasSignOn: boolean;
}

interface RuleProps {
  /** Of the fields with who it is about, and after how many days. */
  names: readonly [who: keyof PolicyValues, days: keyof PolicyValues];
  labels: readonly [who: string, days: string];
  values: PolicyValues;
  options: readonly (readonly [value: string, label: string])[];
  hint: string;
  /** From when it is in force, and who still lacks what it asks for. */
  from: string | null;
  without: string;
  children: Child;
}

const Rule = ({ names: [who, days], labels, values, options, hint, from, without, children }: RuleProps) => (
  <>
    <p>{children}</p>
    <Select name={who} label={labels[0]} value={values[who]} options={options} />
    <TextField name={days} label={labels[1]} inputmode="numeric" value={values[days]} required hint={hint} />
    {from !== null && (
      <p role="status">
        In force from <Moment at={from} />. {without}
      </p>
    )}
  </>
);

export const TenantPolicy = ({ tenantName, policy, values, hasSignOn }: PolicyProps) => (
  <NarrowPage title={`Security of ${tenantName}`}>
    <PostForm action="/tenants/security" class="card">
      <Rule
        names={["requireSecondFactor", "graceDays"]}
        labels={["Who needs a second factor", "Days to set one up"]}
        values={values}
        options={[
          ["off", "Nobody"],
          ["admins", "Owners and admins"],
          ["all", "Every member"],
        ]}
        hint="Each change of this rule begins them anew. You need a second factor of your own first."
        from={policy.enforcedFrom}
        without={`Members who still have none: ${policy.membersWithout}.`}
      >
        Members without two-factor authentication or a passkey then get in only to set one up. API keys are not
        affected.
      </Rule>
      {hasSignOn && (
        <Rule
          names={["signOn.require", "signOn.graceDays"]}
          labels={["Who must use single sign-on", "Days until they must"]}
          values={values}
          options={[
            ["off", "Nobody"],
            ["domains", "Members with an address of our domains"],
            ["all", "Every member"],
          ]}
          hint={SIGN_ON_HINT}
          from={policy.signOn?.from ?? null}
          without={withoutSignOn(policy)}
        >
          The others then get in by your identity provider alone. Owners still can with a passkey, or with a password or
          mailed code and a two-factor code, and all owners are told. API keys are not affected. You need an active
          connection, which you have tried yourself within seven days, and a second factor of your own.
        </Rule>
      )}
      {policy.unlistedApps !== undefined && (
        <Select
          name="unlistedApps"
          label="Apps that nobody has registered"
          value={values.unlistedApps}
          options={[
            ["allow", "Members may use any of them"],
            ["listed", "Members may use those that the API has allowed"],
            ["block", "Members may use none"],
          ]}
        />
      )}
      <FormButtons cancel="/tenants">Save</FormButtons>
    </PostForm>
  </NarrowPage>
);

/** The reader may be about to end their own session. */
const SIGN_ON_HINT =
  "With 0 days, sessions that single sign-on has not opened end at once: this one too, unless you are an owner who " +
  "signed in with a passkey or a two-factor code.";

const withoutSignOn = ({ signOn }: Policy): string =>
  `Members who have never signed on: ${signOn?.membersWithout ?? 0}.${
    signOn?.endsThisSession ? " Your session gets in no more from then on." : ""
  }`;
