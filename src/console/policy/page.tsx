/** Who needs a second factor in the tenant. */
import type { Policy } from "../../identity/policy/schemas";
import { FormButtons, PostForm } from "../components/buttons";
import { Moment } from "../components/display";
import { Select, TextField } from "../components/fields";
import { NarrowPage } from "../components/narrow-page";

interface PolicyProps {
  tenantName: string;
  policy: Policy;
  values: { requireSecondFactor: string; graceDays: string; unlistedApps: string };
}

export const SecondFactorPolicy = ({ tenantName, policy, values }: PolicyProps) => (
  <NarrowPage title={`Second factor in ${tenantName}`}>
    <PostForm action="/tenants/security" class="card">
      <p>
        Members without two-factor authentication or a passkey then get in only to set one up. API keys are not
        affected.
      </p>
      <Select
        name="requireSecondFactor"
        label="Who needs one"
        value={values.requireSecondFactor}
        options={[
          ["off", "Nobody"],
          ["admins", "Owners and admins"],
          ["all", "Every member"],
        ]}
      />
      <TextField
        name="graceDays"
        label="Days to set one up"
        inputmode="numeric"
        value={values.graceDays}
        required
        hint="Each change of this page begins them anew. You need a second factor of your own first."
      />
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
      {policy.enforcedFrom !== null && (
        <p role="status">
          In force from <Moment at={policy.enforcedFrom} />. Members who still have none: {policy.membersWithout}.
        </p>
      )}
      <FormButtons cancel="/tenants">Save</FormButtons>
    </PostForm>
  </NarrowPage>
);
